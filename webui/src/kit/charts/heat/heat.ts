// Heatmap cells and their colors. The steps come from the data, so that neither a quiet nor a busy year is one color.
import type { IsoDate } from "../../../core/time/period";

const STEPS = 5;
const UNITS: readonly number[] = [1, 5, 10, 15, 30, 60].map((minutes) => minutes * 60);

/**
 * Seconds above which the next darker color starts: 0, then the quantiles of the non-zero values at 20, 40, 60 and
 * 80 %, rounded so that the legend is easy to read. Steps that coincide are merged.
 */
export function quantileSteps(values: readonly number[]): number[] {
  const sorted = values.filter((value) => value > 0).sort((a, b) => a - b);
  const most = sorted.at(-1) ?? 0;
  const unit = UNITS.filter((each) => each <= most / 20).at(-1) ?? 60;
  const quantiles = Array.from({ length: STEPS - 1 }, (_, place) => {
    const value = sorted[Math.floor(((place + 1) / STEPS) * sorted.length)] ?? 0;
    return Math.round(value / unit) * unit;
  });
  return [0, ...new Set(quantiles.filter((step) => step > 0 && step < most))];
}

/** Index of the color: 0 for nothing, else the number of steps that the value exceeds. */
export function heatOf(seconds: number, steps: readonly number[]): number {
  return steps.filter((step) => seconds > step).length;
}

export type WeekStart = "monday" | "sunday" | "saturday";
const FIRST: Record<WeekStart, number> = { sunday: 0, monday: 1, saturday: 6 };

/** The weekdays in display order: 0 is Sunday. */
export function weekdays(start: WeekStart): number[] {
  return Array.from({ length: 7 }, (_, place) => (FIRST[start] + place) % 7);
}

export type DayState = "over" | "running" | "future";

export interface DayCell {
  readonly date: IsoDate;
  /** When the day starts, from the server. */
  readonly start: string;
  readonly end: string;
  readonly state: DayState;
  /** Row of its weekday and column of its week. */
  readonly row: number;
  readonly column: number;
}

/** The days between edges, placed in a calendar with one column per week. */
export function dayCells(edges: readonly string[], weekStart: WeekStart, now: number): DayCell[] {
  const rowOf = (date: IsoDate) => (new Date(`${date}T00:00:00Z`).getUTCDay() - FIRST[weekStart] + 7) % 7;
  const before = edges[0] ? rowOf(edges[0].slice(0, 10)) : 0;
  return edges.slice(0, -1).map((start, place) => {
    const end = edges[place + 1] ?? start;
    const [from, to] = [Date.parse(start), Date.parse(end)];
    const date = start.slice(0, 10);
    return {
      date,
      start,
      end,
      state: to <= now ? "over" : from <= now ? "running" : "future",
      row: rowOf(date),
      column: Math.floor((before + place) / 7),
    };
  });
}

export interface Average {
  readonly sum: number;
  /** Days that are over and have data; undefined if there are none. */
  readonly mean: number | undefined;
  readonly days: number;
}

/** The sum of all days, and the mean of finished days with data. */
export function averageOf(
  days: readonly Pick<DayCell, "state">[],
  seconds: readonly number[],
  activity: readonly number[],
): Average {
  const sum = seconds.reduce((total, each) => total + each, 0);
  const counted = days.flatMap((day, place) =>
    day.state === "over" && (activity[place] ?? 0) > 0 ? [seconds[place] ?? 0] : [],
  );
  const total = counted.reduce((before, each) => before + each, 0);
  return { sum, mean: counted.length ? total / counted.length : undefined, days: counted.length };
}

export interface HourCell {
  /** 0 is Sunday. */
  readonly weekday: number;
  readonly hour: number;
  readonly row: number;
  /** The mean of that hour; undefined if none has passed yet. */
  readonly mean: number | undefined;
}

/** The 168 hours of a week, from the server's list, which starts with Monday 0:00. */
export function hourCells(
  seconds: readonly number[],
  hours: readonly number[],
  weekStart: WeekStart,
): HourCell[] {
  return weekdays(weekStart).flatMap((weekday, row) =>
    Array.from({ length: 24 }, (_, hour) => {
      const place = ((weekday + 6) % 7) * 24 + hour;
      const count = hours[place] ?? 0;
      return { weekday, hour, row, mean: count > 0 ? (seconds[place] ?? 0) / count : undefined };
    }),
  );
}
