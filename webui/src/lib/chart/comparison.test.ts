import { describe, expect, it } from "vitest";
import { parseView } from "../url/view";
import { comparedWith, comparisonOf, earlierLabel, switchesPerHour } from "./comparison";

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
  it("is what was chosen, whatever the period", () => {
    expect(comparison("period=week&compare=typical")).toBe("typical");
    expect(comparison("period=month&compare=typical")).toBe("typical");
    expect(comparison("start=2026-03-05T04:00:00Z&end=2026-03-05T05:00:00Z&compare=typical")).toBe("typical");
  });
});

it.each([
  ["typical", "day", "16:40", "vs usual by 16:40"],
  ["typical", "day", undefined, "vs usual"],
  ["typical", "week", "16:40", "vs the same part of a usual week"],
  ["typical", "month", undefined, "vs a usual month"],
  ["typical", "range", undefined, "vs usual"],
  ["previous", "day", "16:40", "vs the day before by 16:40"],
  ["previous", "month", "16:40", "vs the same part of the month before"],
  ["previous", "month", undefined, "vs the month before"],
  ["previous", "range", "16:40", "vs the same part of the time before"],
  ["previous", "range", undefined, "vs the time before"],
  ["year", "day", "16:40", "vs a year ago by 16:40"],
  ["year", "week", "16:40", "vs the same part of the week a year ago"],
  ["year", "month", undefined, "vs the month a year ago"],
] as const)("a comparison with %s of a %s, now %s, reads %s", (kind, period, byNow, text) => {
  expect(comparedWith(kind, period, byNow)).toBe(text);
});

it("an answer says what it was compared with", () => {
  const [part, whole] = [{ label: "1 Oct 2026 04:00 to 16 Oct 2026 11:20" }, { label: "October 2026" }];
  expect(earlierLabel({ range: whole })).toBe("October 2026");
  expect(earlierLabel({ range: part, whole })).toBe("the same part of October 2026");
  expect(earlierLabel({ range: part, whole, periods: 4 })).toBe("what is usual");
});

it("switches are given per hour, from five minutes on", () => {
  expect(switchesPerHour(22, 7200)).toBe(11);
  expect(switchesPerHour(3, 60)).toBeUndefined();
});
