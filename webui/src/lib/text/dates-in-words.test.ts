import { expect, test } from "vitest";
import { daysInWords } from "./dates-in-words";

const TODAY = "2026-03-05"; // a Thursday

test.each([
  ["yest", "2026-03-04", "day"],
  ["last week", "2026-02-26", "week"],
  ["last month", "2026-02-28", "month"],
  ["monday", "2026-03-02", "day"],
  ["last thursday", "2026-02-26", "day"],
  ["5 mar", "2026-03-05", "day"],
  ["Dec 24", "2025-12-24", "day"],
  ["24 december 2024", "2024-12-24", "day"],
  ["march 2025", "2025-03-01", "month"],
  ["2025", "2025-01-01", "year"],
  ["2026-01-31", "2026-01-31", "day"],
])("%j is %s", (text, date, period) => {
  expect(daysInWords(text, TODAY)).toContainEqual(expect.objectContaining({ date, period }));
});

test.each(["", "x", "32 jan", "code", "5.3."])("%j is no day", (text) =>
  expect(daysInWords(text, TODAY)).toEqual([]),
);
