import { describe, expect, it } from "vitest";
import { averageOf, dayCells, heatOf, hourCells, quantileSteps, weekdays } from "./heat";

const HOUR = 3600;

describe("the colors of a heatmap", () => {
  /** How many days of a year have each color. */
  function colored(seconds: readonly number[]): number[] {
    const steps = quantileSteps(seconds);
    return [0, 1, 2, 3, 4, 5].map((heat) => seconds.filter((each) => heatOf(each, steps) === heat).length);
  }
  it.each([
    ["quiet", 0.02],
    ["ordinary", 1],
    ["busy", 2.4],
  ])("are spread evenly over a %s year", (_, scale) => {
    const days = Array.from({ length: 360 }, (__, day) =>
      day % 7 === 0 ? 0 : ((day % 60) / 6) * scale * HOUR,
    );
    const [none = 0, ...counts] = colored(days);
    expect(none).toBeGreaterThan(40);
    for (const count of counts) expect(count).toBeGreaterThan(30);
  });
  it("have round steps", () => {
    expect(quantileSteps([1, 2.1, 3.9, 6.1, 8, 9].map((hours) => hours * HOUR))).toEqual(
      [0, 2, 4, 6, 8].map((hours) => hours * HOUR),
    );
  });
  it("merge steps that coincide, and need no data", () => {
    expect(quantileSteps([])).toEqual([0]);
    expect(quantileSteps([HOUR, HOUR, HOUR])).toEqual([0]);
    expect(heatOf(0, [0])).toBe(0);
    expect(heatOf(HOUR, [0])).toBe(1);
  });
});

describe("the days of a calendar", () => {
  // Thursday 1 January 2026 and on, with the clocks of Berlin.
  const edges = Array.from(
    { length: 12 },
    (_, day) => `2026-01-${String(day + 1).padStart(2, "0")}T04:00:00+01:00`,
  );
  const now = Date.parse("2026-01-05T12:00:00+01:00");

  it("are in the row of their weekday and the column of their week", () => {
    const cells = dayCells(edges, "monday", now);
    expect(cells).toHaveLength(11);
    expect(cells.slice(0, 5).map(({ row, column }) => [row, column])).toEqual([
      [3, 0],
      [4, 0],
      [5, 0],
      [6, 0],
      [0, 1],
    ]);
  });

  it("follow the first day of the week", () => {
    expect(dayCells(edges, "sunday", now)[0]?.row).toBe(4);
    expect(weekdays("saturday")).toEqual([6, 0, 1, 2, 3, 4, 5]);
  });

  it("are over, running or in the future", () => {
    expect(dayCells(edges, "monday", now).map(({ state }) => state)).toEqual([
      "over",
      "over",
      "over",
      "over",
      "running",
      ...Array.from({ length: 6 }, () => "future"),
    ]);
  });

  it("start when the user's day starts", () => {
    const early = Date.parse("2026-01-05T03:59:59+01:00");
    expect(dayCells(edges, "monday", early)[3]?.state).toBe("running");
  });
});

describe("the average of a day", () => {
  it("leaves out the day in progress, and days without any activity", () => {
    const days = [{ state: "over" }, { state: "over" }, { state: "over" }, { state: "running" }] as const;
    expect(averageOf(days, [4, 0, 0, 1], [10, 5, 0, 9])).toEqual({ sum: 5, mean: 2, days: 2 });
  });

  it("is undefined if no day is over", () => {
    expect(averageOf([{ state: "running" }], [5], [5])).toEqual({ sum: 5, mean: undefined, days: 0 });
  });
});

describe("the hours of a week", () => {
  const seconds = Array.from({ length: 168 }, (_, place) => place);
  const hours = Array.from({ length: 168 }, (_, place) => (place === 0 ? 0 : 2));

  it("are means, and undefined if no such hour has passed", () => {
    const cells = hourCells(seconds, hours, "monday");
    expect(cells).toHaveLength(168);
    expect(cells[0]).toEqual({ weekday: 1, hour: 0, row: 0, mean: undefined });
    expect(cells[1]?.mean).toBe(0.5);
  });

  it("start with the first day of the week", () => {
    const cells = hourCells(seconds, hours, "sunday");
    expect(cells[0]).toEqual({ weekday: 0, hour: 0, row: 0, mean: 72 });
  });
});
