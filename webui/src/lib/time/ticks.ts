// Marks of a time axis at round times of a zone that need not be the browser's; days there may have 23 or 25 hours.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const QUARTER = 15 * MINUTE;

/** Steps of a fixed length on the wall clock, which divide a day. */
const CLOCK_STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
];
/** Longer ones: days within a month, weeks, months, years. */
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
  /** Where a larger unit begins: a day among hours, a year among months. */
  readonly isMajor: boolean;
}

/** Ticks from `start` to before `end`, at most so many. */
export function ticks(start: number, end: number, zone: string, most: number): Tick[] {
  const least = (end - start) / Math.max(1, most);
  const clock = CLOCK_STEPS.find((step) => step >= least);
  if (clock !== undefined) return clockTicks(start, end, zone, clock);
  const step = DATE_STEPS.find(({ length }) => length >= least) ?? DATE_STEPS[DATE_STEPS.length - 1];
  return step ? dateTicks(start, end, zone, step.unit, step.count) : [];
}

/** How far the clocks of a zone are ahead of UTC at a moment, in milliseconds. */
export function offsetAt(time: number, zone: string): number {
  // No zone changes its clocks within a quarter of an hour.
  const quarter = Math.floor(time / QUARTER);
  const key = `${quarter} ${zone}`;
  let offset = offsets.get(key);
  if (offset === undefined) {
    if (offsets.size > 5000) offsets.clear();
    offset = readOffset(quarter * QUARTER, zone);
    offsets.set(key, offset);
  }
  return offset;
}
const offsets = new Map<string, number>();

/** The moment at which the clocks of a zone show this; the later one where they skip it. */
export function momentOf(wall: number, zone: string): number {
  const guess = wall - offsetAt(wall - offsetAt(wall, zone), zone);
  return wall - offsetAt(guess, zone) === guess ? guess : wall - offsetAt(wall - DAY, zone);
}

function clockTicks(start: number, end: number, zone: string, step: number): Tick[] {
  const found: Tick[] = [];
  const first = Math.floor((start + offsetAt(start, zone)) / step) * step;
  const last = end + offsetAt(end, zone);
  for (let wall = first; wall <= last; wall += step) {
    const time = momentOf(wall, zone);
    if (time < start || time >= end || time <= (found.at(-1)?.time ?? -Infinity)) continue;
    // In the hour that the clocks skip there is nothing to mark.
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

const formats = new Map<string, Intl.DateTimeFormat>();

function written(time: number, zone: string, options: Intl.DateTimeFormatOptions): string {
  const key = zone + JSON.stringify(options);
  let format = formats.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat(undefined, { ...options, timeZone: zone });
    formats.set(key, format);
  }
  return format.format(time);
}

function readOffset(time: number, zone: string): number {
  const key = `${zone} parts`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat("en", {
      timeZone: zone,
      calendar: "iso8601",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formats.set(key, format);
  }
  const parts: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(time)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time / SECOND) * SECOND;
}

/** A moment as it is written in a zone: "2026-03-05T09:30:00+01:00". */
export function zonedMoment(time: number, zone: string): string {
  const offset = offsetAt(time, zone);
  const minutes = Math.abs(offset) / MINUTE;
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const wall = new Date(time + offset).toISOString().replace(/(\.000)?Z$/, "");
  return `${wall}${offset < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
}
