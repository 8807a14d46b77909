import { describe, expect, it } from "vitest";
import { parseView } from "../url/view";
import { comparedWith, comparisonOf, switchesPerHour } from "./comparison";

const comparison = (query: string) => comparisonOf(parseView(new URLSearchParams(query)));

describe("what a view is compared with", () => {
  it("is what is usual, for today, unless something else was chosen", () => {
    expect(comparison("")).toBe("typical");
    expect(comparison("compare=year")).toBe("year");
  });
  it("is nothing, for other days and periods, unless something was chosen", () => {
    expect(comparison("date=2026-03-05")).toBeUndefined();
    expect(comparison("period=week")).toBeUndefined();
    expect(comparison("date=2026-03-05&compare=typical")).toBe("typical");
  });
  it("is never a usual week, which there is not", () => {
    expect(comparison("period=week&compare=typical")).toBe("previous");
    expect(comparison("start=2026-03-05T04:00:00Z&end=2026-03-05T05:00:00Z&compare=typical")).toBe(
      "previous",
    );
  });
});

it("comparisons are said in words", () => {
  expect(comparedWith("typical", "day", "16:40")).toBe("vs usual by 16:40");
  expect(comparedWith("typical", "day", undefined)).toBe("vs usual");
  expect(comparedWith("previous", "month", undefined)).toBe("vs the month before");
  expect(comparedWith("previous", "range", undefined)).toBe("vs the same time before");
  expect(comparedWith("year", "day", "16:40")).toBe("vs a year ago");
});

it("switches are told by the hour, of five minutes and more", () => {
  expect(switchesPerHour(22, 7200)).toBe(11);
  expect(switchesPerHour(3, 60)).toBeUndefined();
});
