// Ticks of a time axis at round times of a zone, which need not be the browser's; days may have 23 or 25 hours.
import { dateFormat } from "../../../core/i18n/format";
import { momentOf, offsetAt } from "../../../core/time/offset";
import { placeOf, type Viewport } from "./viewport";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Steps of a fixed length in local time that divide a day. */
const CLOCK_STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
];
/** Longer steps: days within a month, weeks, months, years. */
const DATE_STEPS = [
  { unit: "day", count: 1, length: DAY },
  { unit: "week", count: 1, length: 7 * DAY },
  { unit: "week", count: 2, length: 14 * DAY },
  { unit: "month", count: 1, length: 30 * DAY },
  { unit: "month", count: 3, length: 91 * DAY },
  { unit: "year", count: 1, length: 365 * DAY },
  { unit: "year", count: 5, length: 5 * 365 * DAY },
] as const;

export interface Tick {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly label: string;
  /** Whether a larger unit starts here: a day among hours, a year among months. */
  readonly isMajor: boolean;
}

/** Ticks from `start` to before `end`, with a maximum number. */
export function ticks(start: number, end: number, zone: string, most: number): Tick[] {
  const least = (end - start) / Math.max(1, most);
  const clock = CLOCK_STEPS.find((step) => step >= least);
  if (clock !== undefined) return clockTicks(start, end, zone, clock);
  const step = DATE_STEPS.find(({ length }) => length >= least) ?? DATE_STEPS[DATE_STEPS.length - 1];
  return step ? dateTicks(start, end, zone, step.unit, step.count) : [];
}

function clockTicks(start: number, end: number, zone: string, step: number): Tick[] {
  const found: Tick[] = [];
  const first = Math.floor((start + offsetAt(start, zone)) / step) * step;
  const last = end + offsetAt(end, zone);
  for (let wall = first; wall <= last; wall += step) {
    const time = momentOf(wall, zone);
    if (time < start || time >= end || time <= (found.at(-1)?.time ?? -Infinity)) continue;
    // A skipped hour has no tick.
    if (time + offsetAt(time, zone) !== wall) continue;
    const isMajor = wall % DAY === 0;
    found.push({
      time,
      isMajor,
      label: isMajor
        ? written(time, zone, { weekday: "short", day: "numeric", month: "short" })
        : written(time, zone, {
            hour: "2-digit",
            minute: "2-digit",
            ...(step < MINUTE ? { second: "2-digit" } : {}),
          }),
    });
  }
  return found;
}

function dateTicks(
  start: number,
  end: number,
  zone: string,
  unit: "day" | "week" | "month" | "year",
  count: number,
): Tick[] {
  const found: Tick[] = [];
  const wall = new Date(start + offsetAt(start, zone));
  let [year, month, day] = [wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate()];
  if (unit === "week") day -= (wall.getUTCDay() + 6) % 7;
  if (unit === "month") [month, day] = [Math.floor(month / count) * count, 1];
  if (unit === "year") [year, month, day] = [Math.floor(year / count) * count, 0, 1];
  for (;;) {
    const date = Date.UTC(year, month, day);
    const time = momentOf(date, zone);
    if (time >= end) return found;
    if (time >= start) found.push(dateTick(date, time, zone, unit));
    if (unit === "day") day += count;
    else if (unit === "week") day += 7 * count;
    else if (unit === "month") month += count;
    else year += count;
  }
}

function dateTick(date: number, time: number, zone: string, unit: "day" | "week" | "month" | "year"): Tick {
  const wall = new Date(date);
  const startsYear = wall.getUTCMonth() === 0 && wall.getUTCDate() <= (unit === "week" ? 7 : 1);
  if (unit === "year") return { time, isMajor: true, label: written(time, zone, { year: "numeric" }) };
  if (unit === "month")
    return {
      time,
      isMajor: startsYear,
      label: written(time, zone, startsYear ? { year: "numeric" } : { month: "short" }),
    };
  const isMajor = wall.getUTCDate() <= (unit === "week" ? 7 : 1);
  return {
    time,
    isMajor,
    label: written(
      time,
      zone,
      startsYear
        ? { day: "numeric", month: "short", year: "numeric" }
        : unit === "day"
          ? { weekday: "short", day: "numeric", ...(isMajor ? { month: "short" } : {}) }
          : { day: "numeric", month: "short" },
    ),
  };
}

function written(time: number, zone: string, options: Intl.DateTimeFormatOptions): string {
  return dateFormat(zone, options).format(time);
}

/** The width of a letter of a label, and the space after it, in pixels. */
const LETTER = 7;
const SPACE = 12;

/** The same ticks, without labels that would overlap another or be cut at the edge. Larger units, such as a day among hours, come first. */
export function readableTicks(ticks: readonly Tick[], viewport: Viewport, width: number): Tick[] {
  const taken: { from: number; to: number }[] = [];
  const written = new Set<Tick>();
  for (const tick of [...ticks].sort((one, other) => Number(other.isMajor) - Number(one.isMajor))) {
    const from = placeOf(tick.time, viewport, width);
    const to = from + SPACE + LETTER * tick.label.length;
    if (to > width || taken.some((other) => from < other.to && to > other.from)) continue;
    taken.push({ from, to });
    written.add(tick);
  }
  return ticks.map((tick) => (written.has(tick) ? tick : { ...tick, label: "" }));
}
