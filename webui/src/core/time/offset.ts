// UTC offsets of time zones, and conversion from local time.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const QUARTER = 15 * MINUTE;
const DAY = 96 * QUARTER;

/** The offset of a zone from UTC at a time, in milliseconds. */
export function offsetAt(time: number, zone: string): number {
  // Clock changes happen at multiples of a quarter of an hour.
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

/** The time at which the local clock shows this: the first of two; for a skipped time, the later one. */
export function momentOf(wall: number, zone: string): number {
  const [before, after] = [offsetAt(wall - DAY, zone), offsetAt(wall + DAY, zone)];
  const [first, second] = [wall - before, wall - after];
  return offsetAt(first, zone) !== before && offsetAt(second, zone) === after ? second : first;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function readOffset(time: number, zone: string): number {
  let format = formats.get(zone);
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
    formats.set(zone, format);
  }
  const parts: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(time)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time / SECOND) * SECOND;
}

/** A time with the offset of a zone: "2026-03-05T09:30:00+01:00". */
export function zonedMoment(time: number, zone: string): string {
  const offset = offsetAt(time, zone);
  const minutes = Math.abs(offset) / MINUTE;
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const wall = new Date(time + offset).toISOString().replace(/(\.000)?Z$/, "");
  return `${wall}${offset < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
}
