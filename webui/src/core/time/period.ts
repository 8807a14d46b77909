// Arithmetic on calendar dates. The server knows when a day starts and how long it is.
import { dateFormat } from "../i18n/format";
import { t } from "../i18n/translate.svelte";

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

/** "Thu 5 Mar 2026", "March 2026", "2026": the period around a date, formatted for the locale. */
export function periodLabel(date: IsoDate, period: Period): string {
  const moment = new Date(fromIso(date));
  const written = (options: Intl.DateTimeFormatOptions) => dateFormat("UTC", options).format(moment);
  if (period === "year") return written({ year: "numeric" });
  if (period === "month") return written({ month: "long", year: "numeric" });
  const day = written({ weekday: "short", day: "numeric", month: "short", year: "numeric" });
  return period === "week" ? t("common.weekOf", { day }) : day;
}

function fromIso(date: IsoDate): number {
  return Date.parse(`${date}T00:00:00Z`);
}

function toIso(moment: number): IsoDate {
  return Number.isNaN(moment) ? "" : new Date(moment).toISOString().slice(0, 10);
}
