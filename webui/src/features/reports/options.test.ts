import { describe, expect, it } from "vitest";
import { parseView } from "../../core/url/view";
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

describe("the URL of a report", () => {
  it("omits defaults", () => {
    expect(parse("")).toEqual(USUAL);
    expect(parse("by=title&round=up&to=6m&rate=80&by=app").by).toBe("title");
    expect(parse("by=nonsense&round=sideways")).toEqual(USUAL);
  });

  it("survives a round trip", () => {
    const options = { ...USUAL, by: "app", lines: "keys", rate: "82.50", notes: "off" } as const;
    const written = Object.entries(reportParams(options)).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    );
    expect(written).toHaveLength(4);
    expect(parseReport(new URLSearchParams(written as string[][]))).toEqual(options);
  });

  it("sends everything to the server except page-only options", () => {
    expect(sheetQuery({ ...USUAL, lines: "keys", rate: "80" })).toEqual({ rate: "80" });
  });

  it("rounds the day total by default, and each entry only on request", () => {
    expect(sheetQuery({ ...USUAL, round: "nearest" })).toEqual({ round: "nearest" });
    expect(sheetQuery(parse("round=nearest&per=entry"))).toEqual({ round: "nearest", per: "entry" });
  });

  it("covers the month if it names a day", () => {
    expect(reportView(view("")).period).toBe("month");
    expect(reportView(view("period=week")).period).toBe("week");
  });
});

describe("named periods", () => {
  it("are recognized", () => {
    for (const preset of PRESETS) {
      const found = { ...view(""), ...viewOfPreset(preset, TODAY) };
      expect(presetOf(found, TODAY, "monday")).toBe(preset);
    }
  });

  it("are recognized from any of their days", () => {
    // 31 March 2026 was a Tuesday. Last week was "Custom" except on one day.
    for (const day of ["2026-03-23", "2026-03-26", "2026-03-29"])
      expect(presetOf(view(`period=week&date=${day}`), "2026-03-31", "monday")).toBe("last-week");
  });

  it("stay in the previous month, also from its last day", () => {
    expect(viewOfPreset("last-month", TODAY).date).toBe("2026-02-28");
  });

  it("have no name if they are older, or a range", () => {
    expect(presetOf(view("period=month&date=2025-12-01"), TODAY, "monday")).toBeUndefined();
    expect(
      presetOf(view("start=2026-01-01T00:00:00Z&end=2026-01-05T00:00:00Z"), TODAY, "monday"),
    ).toBeUndefined();
  });
});

describe("a saved report", () => {
  it("becomes a URL, without options it does not set", () => {
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

  it("rounds the day total unless it was saved to round each entry", () => {
    expect(keptParams({ round: "up" }, TODAY)).toMatchObject({ round: "up", per: "day" });
    expect(keptParams({ round: "up", per: "entry" }, TODAY)).toMatchObject({ per: "entry" });
  });

  it("has no URL if its period has no view", () => {
    expect(keptParams({ period: "last-7-days" }, TODAY)).toBeUndefined();
  });
});
