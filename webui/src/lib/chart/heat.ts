// Cells whose colour tells how much. The steps are fixed, so that two years look alike.
import type { IsoDate } from "../time/period";

/** Seconds above which the next darker colour begins; nothing at all has a colour of its own. */
export const HOUR_STEPS: readonly number[] = [0, 2, 4, 6, 8].map((hours) => hours * 3600);
export const MINUTE_STEPS: readonly number[] = [0, 12, 24, 36, 48].map((minutes) => minutes * 60);

/** Which of the six colours: 0 for nothing, 5 for more than the last step. */
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
