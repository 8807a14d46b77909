// Times in the user's locale and in a zone from the server, which need not be the browser's.
import { dateFormat as format } from "../i18n/format";
import { addDays } from "./period";

type Moment = string | number | Date;

/** "16:40", or "4:40 PM", depending on the locale. */
export function timeOfDay(moment: Moment, zone: string): string {
  return format(zone, { hour: "2-digit", minute: "2-digit" }).format(new Date(moment));
}

/** "16:40:02" */
export function timeWithSeconds(moment: Moment, zone: string): string {
  return format(zone, { hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(new Date(moment));
}

/** "Thu, 5 Mar 2026" */
export function dayName(moment: Moment, zone: string): string {
  return format(zone, { weekday: "short", day: "numeric", month: "short", year: "numeric" }).format(
    new Date(moment),
  );
}

/** "5 Mar 2026": the month is spelled out so that it cannot be confused with the day. */
export function date(moment: Moment, zone: string): string {
  return format(zone, { day: "numeric", month: "short", year: "numeric" }).format(new Date(moment));
}

/** "5 Mar 2026, 16:40": the month is spelled out so that it cannot be confused with the day. */
export function dateAndTime(moment: Moment, zone: string): string {
  return format(zone, {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  }).format(new Date(moment));
}

/** "5 Mar 2026, 08:30 – 16:40", with the date again if it is another one. */
export function datesAndTimes(start: Moment, end: Moment, zone: string): string {
  const isOneDay = isoDate(start, zone) === isoDate(end, zone);
  return `${dateAndTime(start, zone)} – ${isOneDay ? timeOfDay(end, zone) : dateAndTime(end, zone)}`;
}

/** The calendar date of a time in a zone, as "2026-03-05". */
export function isoDate(moment: Moment, zone: string): string {
  const parts = new Map(
    format(zone, {
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      calendar: "iso8601",
      numberingSystem: "latn",
    })
      .formatToParts(new Date(moment))
      .map((part) => [part.type, part.value]),
  );
  return `${parts.get("year")}-${parts.get("month")}-${parts.get("day")}`;
}

/** Local time in 24 hours. */
export function clockOf(moment: Moment, zone: string): { hour: number; minute: number } {
  const parts = format(zone, {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    numberingSystem: "latn",
  }).formatToParts(new Date(moment));
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  return { hour: of("hour"), minute: of("minute") };
}

/** The day that a time belongs to: a day that starts at 04:00 lasts until 04:00 of the next date. */
export function dayOf(moment: Moment, zone: string, dayStart: string): string {
  const { hour, minute } = clockOf(moment, zone);
  const date = isoDate(moment, zone);
  return `${pad(hour)}:${pad(minute)}` < dayStart ? addDays(date, -1) : date;
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}

/** "15 Nov": a date without the year. */
export function shortDay(moment: Moment, zone: string): string {
  return format(zone, { day: "numeric", month: "short" }).format(new Date(moment));
}

/** "Sun" */
export function weekday(moment: Moment, zone: string): string {
  return format(zone, { weekday: "short" }).format(new Date(moment));
}

// Reading it takes half a millisecond, and a page asks for it a hundred times while it is drawn.
const READ_EVERY = 1000;
let read = { zone: "UTC", until: -Infinity };

/** The zone of this browser; a change is noticed within a second. */
export function browserZone(): string {
  const now = performance.now();
  if (now >= read.until)
    read = { zone: Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC", until: now + READ_EVERY };
  return read.zone;
}
