// Arithmetic on calendar dates. The server knows when a day starts and how long it is.
import { dateFormat } from "../i18n/format";

export const PERIODS = ["day", "week", "month", "year"] as const;
export type Period = (typeof PERIODS)[number];

/** A calendar date as "2026-03-05". */
export type IsoDate = string;

const DAY = 86_400_000;

export function isIsoDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && toIso(fromIso(text)) === text;
}

export function addDays(date: IsoDate, days: number): IsoDate {
  return toIso(fromIso(date) + days * DAY);
}

/** The date one or more periods later; clamped to the last day of the target month. */
export function shift(date: IsoDate, period: Period, steps: number): IsoDate {
  if (period === "day") return addDays(date, steps);
  if (period === "week") return addDays(date, 7 * steps);
  const moment = new Date(fromIso(date));
  const months = moment.getUTCFullYear() * 12 + moment.getUTCMonth() + steps * (period === "year" ? 12 : 1);
  const [year, month] = [Math.floor(months / 12), months % 12];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return toIso(Date.UTC(year, month, Math.min(moment.getUTCDate(), last)));
}

export type WeekStart = keyof typeof FIRST;
const FIRST = { sunday: 0, monday: 1, saturday: 6 };

/** The first day of the week of a date. */
export function firstOfWeek(date: IsoDate, weekStart: WeekStart): IsoDate {
  const weekday = new Date(fromIso(date)).getUTCDay();
  return addDays(date, -((weekday - FIRST[weekStart] + 7) % 7));
}

/** "Thu 5 Mar 2026" */
export function dayLabel(date: IsoDate): string {
  return written(date, { weekday: "short", day: "numeric", month: "short", year: "numeric" });
}

/** "9 – 15 Nov 2026": the days from one to another. */
export function daysLabel(first: IsoDate, last: IsoDate): string {
  const format = dateFormat("UTC", { day: "numeric", month: "short", year: "numeric" });
  return format.formatRange(new Date(fromIso(first)), new Date(fromIso(last)));
}

/** "9 – 15 Nov": the same without the year. */
export function shortDaysLabel(first: IsoDate, last: IsoDate): string {
  const format = dateFormat("UTC", { day: "numeric", month: "short" });
  return format.formatRange(new Date(fromIso(first)), new Date(fromIso(last)));
}

/** "9 – 15 Nov 2026": the week of a date. */
export function weekLabel(date: IsoDate, weekStart: WeekStart): string {
  const first = firstOfWeek(date, weekStart);
  return daysLabel(first, addDays(first, 6));
}

/** "Thu 5 Mar 2026", "2 – 8 Mar 2026", "March 2026", "2026": the period around a date, formatted for the locale. */
export function periodLabel(date: IsoDate, period: Period, weekStart: WeekStart): string {
  if (period === "year") return written(date, { year: "numeric" });
  if (period === "month") return written(date, { month: "long", year: "numeric" });
  return period === "week" ? weekLabel(date, weekStart) : dayLabel(date);
}

function written(date: IsoDate, options: Intl.DateTimeFormatOptions): string {
  return dateFormat("UTC", options).format(new Date(fromIso(date)));
}

function fromIso(date: IsoDate): number {
  return Date.parse(`${date}T00:00:00Z`);
}

function toIso(moment: number): IsoDate {
  return Number.isNaN(moment) ? "" : new Date(moment).toISOString().slice(0, 10);
}
