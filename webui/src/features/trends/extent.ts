// The extent of the recorded data.
import { isoDate } from "../../core/time/zone";

/** The years with data, newest first, always including the visible one. */
export function yearsSince(
  first: string | undefined,
  shown: string | undefined,
  now: number,
  zone: string,
): number[] {
  const yearOf = (moment: string | number) => Number(isoDate(moment, zone).slice(0, 4));
  const last = yearOf(now);
  const from = Math.min(last, first ? yearOf(first) : last, shown ? Number(shown.slice(0, 4)) : last);
  const to = Math.max(last, shown ? Number(shown.slice(0, 4)) : last);
  return Array.from({ length: to - from + 1 }, (_, place) => to - place);
}

const WEEK = 7 * 86_400_000;

/** The number of days with data during the first week; undefined afterwards. */
export function recordedDays(
  first: string | undefined,
  year: { readonly total: readonly number[] } | undefined,
  now: number,
): number | undefined {
  if (!first || !year || now - Date.parse(first) >= WEEK) return undefined;
  return year.total.filter((seconds) => seconds > 0).length;
}
