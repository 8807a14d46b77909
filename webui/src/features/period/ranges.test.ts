import { expect, it } from "vitest";
import { daysOf, movedRange, quarterOf, rangeName, rangeOfDays, weeksOfMonth } from "./ranges";

const BERLIN = "Europe/Berlin";

it("a range of days begins and ends where days do, also when the clocks change", () => {
  const range = rangeOfDays({ first: "2026-03-27", last: "2026-03-29" }, BERLIN, "04:00");
  expect(range).toEqual({ start: "2026-03-27T04:00:00+01:00", end: "2026-03-30T04:00:00+02:00" });
  expect(daysOf(range, BERLIN, "04:00")).toEqual({ first: "2026-03-27", last: "2026-03-29" });
  expect(movedRange(range, 1, BERLIN, "04:00")).toEqual({
    start: "2026-03-30T04:00:00+02:00",
    end: "2026-04-02T04:00:00+02:00",
  });
});

it("a range with parts of days moves by its length", () => {
  const range = { start: "2026-03-05T09:00:00Z", end: "2026-03-05T10:00:00Z" };
  expect(daysOf(range, "UTC", "04:00")).toBeUndefined();
  expect(movedRange(range, -1, "UTC", "04:00").start).toBe("2026-03-05T08:00:00.000Z");
});

it("whole days are named by dates, without times", () => {
  const days = rangeOfDays({ first: "2026-10-15", last: "2026-11-14" }, "UTC", "04:00");
  expect(rangeName(days, "UTC", "04:00")).not.toMatch(/:/);
  expect(rangeName({ ...days, end: "2026-11-14T12:00:00Z" }, "UTC", "04:00")).toMatch(/:/);
});

it("the quarter of a date has three months", () => {
  expect(quarterOf("2026-11-19")).toEqual({ first: "2026-10-01", last: "2026-12-31" });
  expect(quarterOf("2026-02-28")).toEqual({ first: "2026-01-01", last: "2026-03-31" });
});

it("a month is laid out in weeks from the first day of the week", () => {
  const weeks = weeksOfMonth("2026-11-19", "monday");
  expect(weeks).toHaveLength(6);
  expect(weeks[0]).toEqual([undefined, undefined, undefined, undefined, undefined, undefined, "2026-11-01"]);
  expect(weeks.flat().filter(Boolean)).toHaveLength(30);
  expect(weeksOfMonth("2026-11-19", "sunday")[0]?.[0]).toBe("2026-11-01");
});
