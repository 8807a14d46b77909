// Ranges of whole days: their edges, names and presets.
import { momentOf, zonedMoment } from "../../core/time/offset";
import {
  addDays,
  dayLabel,
  daysLabel,
  firstOfWeek,
  type IsoDate,
  type WeekStart,
} from "../../core/time/period";
import { clockOf, datesAndTimes, dayOf } from "../../core/time/zone";

export interface Range {
  readonly start: string;
  readonly end: string;
}

export interface Days {
  readonly first: IsoDate;
  readonly last: IsoDate;
}

/** When a day starts, with the offset of the zone. */
export function dayEdge(date: IsoDate, zone: string, dayStart: string): string {
  return zonedMoment(momentOf(Date.parse(`${date}T${dayStart}:00Z`), zone), zone);
}

export function rangeOfDays({ first, last }: Days, zone: string, dayStart: string): Range {
  return { start: dayEdge(first, zone, dayStart), end: dayEdge(addDays(last, 1), zone, dayStart) };
}

/** The whole days of a range; undefined if it has parts of days. */
export function daysOf({ start, end }: Range, zone: string, dayStart: string): Days | undefined {
  const isEdge = (moment: string) => {
    const { hour, minute } = clockOf(moment, zone);
    return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}` === dayStart;
  };
  if (!isEdge(start) || !isEdge(end)) return undefined;
  return { first: dayOf(start, zone, dayStart), last: dayOf(Date.parse(end) - 1, zone, dayStart) };
}

/** "15 Oct – 14 Nov 2026", or with times if it has parts of days. */
export function rangeName(range: Range, zone: string, dayStart: string): string {
  const days = daysOf(range, zone, dayStart);
  if (!days) return datesAndTimes(range.start, range.end, zone);
  return days.first === days.last ? dayLabel(days.first) : daysLabel(days.first, days.last);
}

/** The range before or after one, of the same length: whole days stay whole days when the clocks change. */
export function movedRange(range: Range, by: 1 | -1, zone: string, dayStart: string): Range {
  const days = daysOf(range, zone, dayStart);
  if (days) {
    const count = Math.round((Date.parse(days.last) - Date.parse(days.first)) / 86_400_000) + 1;
    return rangeOfDays(
      { first: addDays(days.first, by * count), last: addDays(days.last, by * count) },
      zone,
      dayStart,
    );
  }
  const [start, end] = [Date.parse(range.start), Date.parse(range.end)];
  const moment = (time: number) => new Date(time + by * (end - start)).toISOString();
  return { start: moment(start), end: moment(end) };
}

/** The quarter of a date, up to today. */
export function quarterOf(today: IsoDate): Days {
  const month = Math.floor((Number(today.slice(5, 7)) - 1) / 3) * 3 + 1;
  const next =
    month + 3 > 12 ? `${Number(today.slice(0, 4)) + 1}-01-01` : `${today.slice(0, 5)}${two(month + 3)}-01`;
  return { first: `${today.slice(0, 5)}${two(month)}-01`, last: addDays(next, -1) };
}

/** The dates of a month in weeks; undefined before its first and after its last day. */
export function weeksOfMonth(month: IsoDate, weekStart: WeekStart): (IsoDate | undefined)[][] {
  const begin = `${month.slice(0, 7)}-01`;
  const weeks: (IsoDate | undefined)[][] = [];
  for (let day = firstOfWeek(begin, weekStart); day.slice(0, 7) <= begin.slice(0, 7); day = addDays(day, 7))
    weeks.push(
      Array.from({ length: 7 }, (_, place) => {
        const date = addDays(day, place);
        return date.slice(0, 7) === begin.slice(0, 7) ? date : undefined;
      }),
    );
  return weeks;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
