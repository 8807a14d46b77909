import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setLanguage } from "../i18n/translate.svelte";
import { daysOfRange, rangeLabel } from "./range-label";

const range = (start: string, end: string, label: string) => ({
  start: `${start}:00+01:00`,
  end: `${end}:00+01:00`,
  tz: "Europe/Berlin",
  day_start: "04:00",
  label,
});

test("in English, too, a week is named by its first and its last day", () => {
  const week = range("2026-03-02T04:00", "2026-03-09T04:00", "2 to 8 Mar 2026");
  expect(rangeLabel(week)).toMatch(/\b2\s*–\s*8\b/);
  // The end was named as a day of its own: "from 2 Mar to 9 Mar".
  expect(daysOfRange(week)).toMatch(/\b2\s*–\s*8\b/);
  expect(daysOfRange(range("2026-03-02T04:00", "2026-03-05T11:00", ""))).toMatch(/\b2\s*–\s*5\b/);
});

describe("in German", () => {
  beforeAll(() => setLanguage("de-DE"));
  afterAll(() => setLanguage(null));

  test.each([
    ["2026-03-05T04:00", "2026-03-06T04:00", "Thu 5 Mar 2026", "Do., 5. März 2026"],
    ["2026-03-02T04:00", "2026-03-09T04:00", "2 to 8 Mar 2026", "2.–8. März 2026"],
    ["2026-03-01T04:00", "2026-04-01T04:00", "March 2026", "März 2026"],
    ["2026-01-01T04:00", "2027-01-01T04:00", "2026", "2026"],
    [
      "2026-03-05T09:30",
      "2026-03-05T10:00",
      "5 Mar 2026 09:30 to 5 Mar 2026 10:00",
      "5. März 2026, 09:30 – 10:00",
    ],
    [
      "2026-03-05T09:30",
      "2026-03-06T10:00",
      "5 Mar 2026 09:30 to 6 Mar 2026 10:00",
      "5. März 2026, 09:30 – 6. März 2026, 10:00",
    ],
  ])("%s to %s is named by Intl", (start, end, label, expected) => {
    expect(rangeLabel(range(start, end, label))).toBe(expected);
  });
});
