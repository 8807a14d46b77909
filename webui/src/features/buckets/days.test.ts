import { expect, it } from "vitest";
import { daysOf, inWords } from "./days";

it("the last of the days is today", () => {
  expect(daysOf([3, 0, 7], "2026-03-01")).toEqual([
    { date: "2026-02-27", events: 3 },
    { date: "2026-02-28", events: 0 },
    { date: "2026-03-01", events: 7 },
  ]);
});

it("a chart has a text alternative", () => {
  expect(inWords([0, 1200, 1, 0])).toBe(
    "1,201 events in the last 4 days, on 2 days; at most 1,200 per day, 0 today",
  );
  expect(inWords([0, 0])).toBe("No events in the last 2 days");
});
