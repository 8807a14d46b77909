import { describe, expect, it } from "vitest";
import { parseView } from "../../lib/url/view";
import {
  keptParams,
  parseReport,
  presetOf,
  reportParams,
  reportView,
  sheetQuery,
  USUAL,
  viewOfPreset,
  PRESETS,
} from "./options";

const parse = (text: string) => parseReport(new URLSearchParams(text));
const view = (text: string) => parseView(new URLSearchParams(text));
const TODAY = "2026-03-31";

describe("the address of a report", () => {
  it("says nothing of what is usual, and reads what it says", () => {
    expect(parse("")).toEqual(USUAL);
    expect(parse("by=title&round=up&to=6m&rate=80&by=app").by).toBe("title");
    expect(parse("by=nonsense&round=sideways")).toEqual(USUAL);
  });

  it("is written and read back the same", () => {
    const options = { ...USUAL, by: "app", lines: "keys", rate: "82.50", notes: "off" } as const;
    const written = Object.entries(reportParams(options)).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    );
    expect(written).toHaveLength(4);
    expect(parseReport(new URLSearchParams(written as string[][]))).toEqual(options);
  });

  it("asks the server for all but what only the page does", () => {
    expect(sheetQuery({ ...USUAL, lines: "keys", round: "nearest", per: "day" })).toEqual({
      round: "nearest",
      per: "day",
    });
  });

  it("means the month where it names a day", () => {
    expect(reportView(view("")).period).toBe("month");
    expect(reportView(view("period=week")).period).toBe("week");
  });
});

describe("periods by name", () => {
  it("are found again", () => {
    for (const preset of PRESETS) {
      const found = { ...view(""), ...viewOfPreset(preset, TODAY) };
      expect(presetOf(found, TODAY)).toBe(preset);
    }
  });

  it("stay in the month before, also from its last day", () => {
    expect(viewOfPreset("last-month", TODAY).date).toBe("2026-02-28");
  });

  it("have no name where they are further back, or a range", () => {
    expect(presetOf(view("period=month&date=2025-12-01"), TODAY)).toBeUndefined();
    expect(presetOf(view("start=2026-01-01T00:00:00Z&end=2026-01-05T00:00:00Z"), TODAY)).toBeUndefined();
  });
});

describe("a kept report", () => {
  it("becomes an address, which forgets what it does not say", () => {
    const kept = { period: "last-month", filter: ["category:under:Work"], rate: "80" };
    expect(keptParams(kept, TODAY)).toMatchObject({
      period: "month",
      date: "2026-02-28",
      filter: ["category:under:Work"],
      device: undefined,
      rate: "80",
      round: undefined,
    });
  });

  it("of a period that pages do not have has none", () => {
    expect(keptParams({ period: "last-7-days" }, TODAY)).toBeUndefined();
  });
});
