// Local times as a date-time input writes them, without the zone.
import { momentOf, offsetAt } from "../offset";

/** "2026-03-05T16:40:02.125", local time of the zone. */
export function toLocalText(moment: string, zone: string): string {
  const date = new Date(moment);
  return new Date(date.getTime() + offsetAt(date.getTime(), zone)).toISOString().slice(0, -1);
}

/** The time at which the local clock shows this; undefined if it is not a time. */
export function fromLocalText(text: string, zone: string): string | undefined {
  const shown = Date.parse(`${text}Z`);
  return Number.isNaN(shown) ? undefined : new Date(momentOf(shown, zone)).toISOString();
}

/** The end of a calendar date in a zone. */
export function endOfDate(date: string, zone: string): string | undefined {
  const next = new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000);
  return Number.isNaN(next.getTime())
    ? undefined
    : fromLocalText(`${next.toISOString().slice(0, 10)}T00:00:00`, zone);
}
