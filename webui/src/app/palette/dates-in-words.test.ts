import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setLanguage } from "../../core/i18n/translate.svelte";
import { daysInWords, momentInWords } from "./dates-in-words";

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

test.each(["", "x", "32 jan", "code", "5.3."])("%j is not a day", (text) =>
  expect(daysInWords(text, TODAY)).toEqual([]),
);

test.each([
  ["tue 15:00", "2026-03-03", "15:00"],
  ["last tuesday 3pm", "2026-03-03", "15:00"],
  ["last tuesday at 3:30 pm", "2026-03-03", "15:30"],
  ["yesterday 9am", "2026-03-04", "09:00"],
  ["24 dec 12am", "2025-12-24", "00:00"],
  ["2026-01-31 08:05", "2026-01-31", "08:05"],
  ["15:00", "2026-03-05", "15:00"],
  ["2 weeks ago", "2026-02-19", undefined],
  ["a month ago", "2026-02-05", undefined],
  ["3 days ago 10:00", "2026-03-02", "10:00"],
])("%j is %s %s", (text, date, time) => expect(momentInWords(text, TODAY)).toEqual({ date, time }));

test.each(["", "tue", "15", "tue 25:00", "13pm", "code 15:00", "2 weeks", "5 mar"])(
  "%j is not a time",
  (text) => expect(momentInWords(text, TODAY)).toBeUndefined(),
);

describe("in German", () => {
  beforeAll(() => setLanguage("de"));
  afterAll(() => setLanguage(null));

  test.each([
    ["gestern", "2026-03-04", "day"],
    ["letzte woche", "2026-02-26", "week"],
    ["letzten Donnerstag", "2026-02-26", "day"],
    ["24. Dez", "2025-12-24", "day"],
    ["März 2025", "2025-03-01", "month"],
    ["last month", "2026-02-28", "month"],
  ])("%j is %s", (text, date, period) => {
    expect(daysInWords(text, TODAY)).toContainEqual(expect.objectContaining({ date, period }));
  });

  test.each([
    ["Di 15:00", "2026-03-03", "15:00"],
    ["gestern um 9:30 Uhr", "2026-03-04", "09:30"],
    ["vor 2 Wochen", "2026-02-19", undefined],
    ["vor einem Monat", "2026-02-05", undefined],
  ])("%j is %s %s", (text, date, time) => expect(momentInWords(text, TODAY)).toEqual({ date, time }));

  test("names days in German", () => {
    expect(daysInWords("di", TODAY).map(({ label }) => label)).toContain("Letzter Dienstag");
    expect(daysInWords("heu", TODAY).map(({ label }) => label)).toEqual(["Heute"]);
  });
});
