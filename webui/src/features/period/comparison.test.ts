import { describe, expect, it } from "vitest";
import { parseView } from "../../core/url/view";
import { comparisonDates, comparisonOf, switchesPerHour } from "./comparison";

const comparison = (query: string) => comparisonOf(parseView(new URLSearchParams(query)));

describe("what a view is compared with", () => {
  it("is a typical day for today, unless the user chose something else", () => {
    expect(comparison("")).toBe("typical");
    expect(comparison("compare=year")).toBe("year");
  });
  it("is nothing for other days and periods, unless the user chose something", () => {
    expect(comparison("date=2026-03-05")).toBeUndefined();
    expect(comparison("period=week")).toBeUndefined();
    expect(comparison("date=2026-03-05&compare=typical")).toBe("typical");
  });
  it("is what the user chose, for any period", () => {
    expect(comparison("period=week&compare=typical")).toBe("typical");
    expect(comparison("period=month&compare=typical")).toBe("typical");
    expect(comparison("start=2026-03-05T04:00:00Z&end=2026-03-05T05:00:00Z&compare=typical")).toBe("typical");
  });
});

it("the tooltip names the dates that a response was compared with", () => {
  const range = (end: string, label: string) => ({
    start: "2026-10-01T04:00:00Z",
    end,
    tz: "UTC",
    day_start: "04:00",
    label,
  });
  const part = range("2026-10-16T11:20:00Z", "1 Oct 2026 04:00 to 16 Oct 2026 11:20");
  const whole = range("2026-11-01T04:00:00Z", "October 2026");
  expect(comparisonDates({ range: whole })).toBe("October 2026");
  expect(comparisonDates({ range: part, whole })).toBe(
    "October 2026, up to the same point (1 Oct 2026 04:00 to 16 Oct 2026 11:20)",
  );
  expect(comparisonDates({ range: part, whole, periods: 4 })).toBe("Median of 4 earlier periods");
  expect(comparisonDates({ range: part, periods: 1 })).toBe("Median of 1 earlier period");
});

it("switches are given per hour, from five minutes on", () => {
  expect(switchesPerHour(22, 7200)).toBe(11);
  expect(switchesPerHour(3, 60)).toBeUndefined();
});
