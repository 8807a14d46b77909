import { describe, expect, it } from "vitest";
import { daysStrip, rectangles } from "../paint/draw";
import { legendOf } from "../paint/legend";
import { layoutOfDays } from "../paint/layout";
import { Painter } from "../paint/paint";
import { daysAround, daysOf, isByDay } from "./days";
import { Texts } from "./model";

const DAY = 86_400_000;
const HOUR = 3600;
const at = (text: string) => Date.parse(text);
const edges = Array.from({ length: 11 }, (_, place) => new Date(at("2026-11-01T04:00:00Z") + place * DAY));
const series = {
  edges: edges.map((edge) => edge.toISOString()),
  keys: [["Work"], ["Media"]],
  values: [
    [4, 0, 8, 2, 0, 0, 0, 0, 0, 0].map((hours) => hours * HOUR),
    [2, 0, 0, 2, 0, 0, 0, 0, 0, 1].map((hours) => hours * HOUR),
  ],
  other: [0, 0, 0, 1, 0, 0, 0, 0, 0, 0].map((hours) => hours * HOUR),
};
const viewport = { start: at("2026-11-01T04:00:00Z"), end: at("2026-11-11T04:00:00Z") };

describe("beyond a week", () => {
  it("there are days instead of lanes", () => {
    expect(isByDay({ start: 0, end: 8 * DAY })).toBe(false);
    expect(isByDay({ start: 0, end: 8 * DAY + 1 })).toBe(true);
  });

  it("whole days are loaded, the same for most moves, also when clocks are set", () => {
    const moved = (by: number) => ({ start: viewport.start + by, end: viewport.end + by });
    const around = daysAround(viewport, "Europe/Berlin", "04:00");
    expect(daysAround(moved(DAY), "Europe/Berlin", "04:00")).toEqual(around);
    for (const moment of [around.start, around.end])
      expect(
        new Intl.DateTimeFormat("en-GB", { timeZone: "Europe/Berlin", timeStyle: "short" }).format(moment),
      ).toBe("04:00");
    expect(around.start).toBeLessThanOrEqual(viewport.start - 5 * DAY);
    expect(around.end).toBeGreaterThanOrEqual(viewport.end + 5 * DAY);
    expect([around.bin, daysAround({ start: 0, end: 3000 * DAY }, "UTC", "04:00").bin]).toEqual([
      "day",
      "week",
    ]);
  });

  it("each day with time is a column of its parts, as high as it is long, and days without are none", () => {
    const texts = new Texts();
    const painter = new Painter(texts, "category");
    const strip = daysStrip(daysOf(series, texts), painter);
    expect(strip.spans.size).toBe(4);
    const layout = layoutOfDays(300);
    const { byPaint, count } = rectangles([strip], layout, viewport, 1000);
    expect(count).toBe(4);
    const row = layout.lanes[0];
    const tops = byPaint.flatMap((list) => list.filter((_, place) => place % 4 === 1));
    // The fullest day fills the row.
    expect(Math.min(...tops)).toBe(row?.top);
    const heights = (left: number) =>
      byPaint.flatMap((list) =>
        list.flatMap((x, place) => (place % 4 === 0 && x === left ? [(list[place + 3] ?? 0) + 1] : [])),
      );
    const [full, partly] = [heights(200), heights(0)].map((all) => all.reduce((sum, each) => sum + each, 0));
    expect((partly ?? 0) / (full ?? 1)).toBeCloseTo(6 / 8, 1);
  });

  it("the legend is sorted by time, and other time is in it", () => {
    const texts = new Texts();
    const painter = new Painter(texts, "category");
    const strip = daysStrip(daysOf(series, texts), painter);
    expect(legendOf([strip], viewport, 5).map((number) => painter.name(number))).toEqual([
      "Work",
      "Media",
      "Other",
    ]);
  });
});
