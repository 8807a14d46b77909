import { expect, test } from "vitest";
import { addDays, isIsoDate, periodLabel, shift } from "./period";

test.each([
  ["2026-03-05", "day", -1, "2026-03-04"],
  ["2026-01-01", "day", -1, "2025-12-31"],
  ["2026-03-29", "day", 1, "2026-03-30"],
  ["2026-03-05", "week", 1, "2026-03-12"],
  ["2026-01-31", "month", 1, "2026-02-28"],
  ["2024-02-29", "year", 1, "2025-02-28"],
  ["2026-01-15", "month", -1, "2025-12-15"],
] as const)("from %s one %s by %d is %s", (date, period, steps, expected) => {
  expect(shift(date, period, steps)).toBe(expected);
});

test("days cross the ends of months and years", () => expect(addDays("2025-12-31", 1)).toBe("2026-01-01"));

test("only valid dates are dates", () => {
  expect(["2026-03-05", "2026-02-30", "2026-3-5", "yesterday", ""].map(isIsoDate)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
});

test("labels spell out the month", () => {
  expect(periodLabel("2026-03-05", "day", "monday")).toMatch(/Mar/);
  expect(periodLabel("2026-03-05", "month", "monday")).toMatch(/March/);
  expect(periodLabel("2026-03-05", "year", "monday")).toBe("2026");
});

test("a week is named by its days, from its first one", () => {
  // It was "Week of Tue, 10 Nov".
  expect(periodLabel("2026-11-10", "week", "monday")).toMatch(/\b9\s*–\s*15\b/);
  expect(periodLabel("2026-11-10", "week", "sunday")).toMatch(/\b8\s*–\s*14\b/);
});
