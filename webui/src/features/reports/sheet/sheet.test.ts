import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Timesheet } from "../../../core/api/schema";
import { setLanguage } from "../../../core/i18n/translate.svelte";
import { roundingWarning, sheetTable, spanStart, tableText, unitFor } from "./sheet";

const HOUR = 3600;
const words = {
  date: (day: { date: string }) => day.date,
  time: (moment: string) => moment.slice(11, 16),
  span: (date: string) => date,
};
const entry = (column: number, seconds: number, rounded: number) => ({ column, seconds, rounded });

function sheet(changes: Partial<Timesheet> = {}): Timesheet {
  return {
    range: {
      start: "2026-02-01T04:00:00Z",
      end: "2026-03-01T04:00:00Z",
      tz: "UTC",
      day_start: "04:00",
      week_start: "monday",
      label: "February 2026",
    },
    title: "February 2026",
    by: "category",
    rules: { round: "nearest", to: 900, per: "entry", least: 0, gaps: 0, text: "" },
    currency: "EUR",
    is_listed: false,
    columns: [
      { key: ["Code"], name: "Code", seconds: 10.1 * HOUR, rounded: 10 * HOUR },
      { key: ["Docs"], name: "=Docs", seconds: 1.4 * HOUR, rounded: 1.5 * HOUR },
    ],
    days: [
      {
        date: "2026-02-02",
        first: "2026-02-02T08:55:00Z",
        last: "2026-02-02T17:10:00Z",
        breaks: { count: 2, seconds: 0.75 * HOUR },
        entries: [entry(0, 5.1 * HOUR, 5 * HOUR), entry(1, 1.4 * HOUR, 1.5 * HOUR)],
        seconds: 6.5 * HOUR,
        rounded: 6.5 * HOUR,
      },
      {
        date: "2026-02-03",
        first: "2026-02-03T09:00:00Z",
        last: "2026-02-03T14:00:00Z",
        breaks: { count: 0, seconds: 0 },
        entries: [entry(0, 5 * HOUR, 5 * HOUR)],
        seconds: 5 * HOUR,
        rounded: 5 * HOUR,
        notes: ["Standup"],
      },
    ],
    totals: {
      days: 2,
      seconds: 11.5 * HOUR,
      rounded: 11.5 * HOUR,
      breaks: { count: 2, seconds: 0.75 * HOUR },
      left_out: { entries: 0, seconds: 0 },
    },
    ...changes,
  };
}

const texts = (rows: readonly (readonly { text: string }[])[]) =>
  rows.map((row) => row.map(({ text }) => text));

describe("a timesheet with one row per day", () => {
  it("has a cell for each key, both sums, and notes if there are any", () => {
    const { head, groups, foot } = sheetTable(sheet(), "days", words);
    // The same columns as those of csv_of and html_of on the server.
    const columns = ["Date", "First", "Last", "Breaks", "Code", "=Docs", "Total", "Not rounded", "Notes"];
    expect(texts([head])[0]).toEqual(columns);
    expect(texts(groups.flat())).toEqual([
      ["2026-02-02", "08:55", "17:10", "0.75", "5.00", "1.50", "6.50", "6.50", ""],
      ["2026-02-03", "09:00", "14:00", "", "5.00", "", "5.00", "5.00", "Standup"],
    ]);
    expect(texts(foot)).toEqual([["Total", "", "", "0.75", "10.00", "1.50", "11.50", "11.50", ""]]);
  });

  it("links each cell to its day", () => {
    const cell = sheetTable(sheet(), "days", words).groups[0]?.[0]?.[5];
    expect(cell?.link).toEqual({ period: "day", date: "2026-02-02", column: 1 });
  });

  it("has one sum without rounding, and amounts with a rate", () => {
    const priced = sheet({
      rules: { round: "none", to: 900, per: "entry", least: 0, gaps: 0, text: "" },
      totals: { ...sheet().totals, amount: 9660 },
    });
    const { head, foot } = sheetTable(priced, "days", words);
    expect(head.map(({ text }) => text)).toContain("Amount EUR");
    expect(head.map(({ text }) => text)).not.toContain("Not rounded");
    expect(foot[0]?.map(({ text }) => text)).toContain("9,660.00");
  });

  it("lists entries below each other if the server says so", () => {
    const { head, groups } = sheetTable(sheet({ is_listed: true }), "days", words);
    const columns = ["Date", "First", "Last", "Breaks", "Category", "Hours", "Not rounded", "Notes"];
    expect(texts([head])[0]).toEqual(columns);
    expect(texts(groups[0] ?? [])).toEqual([
      ["2026-02-02", "08:55", "17:10", "0.75", "", "6.50", "6.50", ""],
      ["", "", "", "", "Code", "5.00", "5.10", ""],
      ["", "", "", "", "=Docs", "1.50", "1.40", ""],
    ]);
  });
});

describe("a timesheet with one row per key", () => {
  it("has one column per day", () => {
    const { head, groups, foot } = sheetTable(sheet(), "keys", words);
    expect(texts([head])[0]).toEqual(["Category", "2026-02-02", "2026-02-03", "Total", "Not rounded"]);
    expect(texts(groups.flat())).toEqual([
      ["Code", "5.00", "5.00", "10.00", "10.10"],
      ["=Docs", "1.50", "", "1.50", "1.40"],
    ]);
    expect(texts(foot)[0]).toEqual(["Total", "6.50", "5.00", "11.50", "11.50"]);
  });

  it("has weeks or months if there are too many days", () => {
    const days = (count: number, step: number) =>
      Array.from({ length: count }, (_, place) => ({
        date: new Date(Date.UTC(2026, 0, 1 + place * step)).toISOString().slice(0, 10),
      }));
    expect([unitFor(days(10, 1)), unitFor(days(22, 1)), unitFor(days(200, 1))]).toEqual([
      "day",
      "week",
      "month",
    ]);
    expect(spanStart("2026-02-04", "week", "monday")).toBe("2026-02-02");
    expect(spanStart("2026-02-04", "week", "sunday")).toBe("2026-02-01");
    expect(spanStart("2026-02-04", "month", "monday")).toBe("2026-02-01");
  });
});

describe("time without a key", () => {
  beforeAll(() => setLanguage("de"));
  afterAll(() => setLanguage(null));

  const headOf = (changes: Partial<Timesheet>, key: string[] | null, name: string) => {
    const columns = [{ key, name, seconds: HOUR, rounded: HOUR }];
    return texts([sheetTable(sheet({ ...changes, columns, days: [] }), "days", words).head])[0];
  };

  it("is named in the language of the page", () => {
    expect(headOf({}, ["Uncategorized"], "Uncategorized")).toContain("Ohne Kategorie");
    expect(headOf({ by: "project" }, null, "No project")).toContain("Kein Projekt");
  });
});

it("a copied table has tabs between cells and no formulas", () => {
  const text = tableText(sheetTable(sheet(), "days", words));
  expect(text.split("\n")).toHaveLength(4);
  expect(text.split("\n")[0]).toBe("Date\tFirst\tLast\tBreaks\tCode\t'=Docs\tTotal\tNot rounded\tNotes");
});

it("rounding each entry warns what it adds, if the server does", () => {
  const totals = { ...sheet().totals, seconds: 17.4 * HOUR, rounded: 27 * HOUR };
  const warning = "Rounding each entry adds 9.6 h: 17.4 h → 27.0 h.";
  expect(roundingWarning({ warning, totals })).toBe(warning);
  expect(roundingWarning({ totals })).toBeUndefined();
});
