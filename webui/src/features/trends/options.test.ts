import { describe, expect, it } from "vitest";
import { parseView } from "../../core/url/view";
import { binsFor, daysBetween, parseOptions, suitableBin, trendView } from "./options";

const options = (text: string) => parseOptions(new URLSearchParams(text));
const view = (text: string) => parseView(new URLSearchParams(text));

describe("the URL of Trends", () => {
  it("omits defaults", () => {
    expect(options("")).toEqual({
      measure: undefined,
      bin: undefined,
      by: undefined,
      mode: "stack",
      tables: [],
    });
  });

  it("names the measure, the bars and the tables", () => {
    expect(options("measure=Work/Code&bin=month&by=app&bars=share&table=hours&table=bars&table=x")).toEqual({
      measure: ["Work", "Code"],
      bin: "month",
      by: "app",
      mode: "share",
      tables: ["hours", "bars"],
    });
  });

  it("covers the year if it names no period, or a day", () => {
    expect(trendView(view("")).period).toBe("year");
    expect(trendView(view("date=2025-03-05")).date).toBe("2025-03-05");
    expect(trendView(view("period=month")).period).toBe("month");
    const range = "start=2026-01-01T04:00:00Z&end=2026-01-09T04:00:00Z";
    expect(trendView(view(range)).period).toBe("day");
  });
});

describe("bins", () => {
  it.each([
    [7, ["day"]],
    [31, ["day", "week"]],
    [90, ["day", "week", "month"]],
    [365, ["week", "month"]],
    [1500, ["month"]],
  ])("of %d days can be %j", (days, bins) => {
    expect(binsFor(days)).toEqual(bins);
  });

  it.each([
    [undefined, 7, "day"],
    [undefined, 31, "day"],
    [undefined, 365, "week"],
    ["day", 365, "week"],
    ["month", 365, "month"],
    ["month", 7, "day"],
  ] as const)("requested as %s for %d days are %s", (asked, days, bin) => {
    expect(suitableBin(asked, days)).toBe(bin);
  });

  it("count days across clock changes", () => {
    expect(daysBetween("2026-03-29T04:00:00+02:00", "2026-03-30T04:00:00+02:00")).toBe(1);
    expect(daysBetween("2026-03-28T04:00:00+01:00", "2026-03-30T04:00:00+02:00")).toBe(2);
  });
});
