// Moments as a field for date and time writes them: by the clock of a zone, without naming it.
import { momentOf, offsetAt } from "./offset";

/** "2026-03-05T16:40:02.125", by the clock of the zone. */
export function toLocalText(moment: string, zone: string): string {
  const date = new Date(moment);
  return new Date(date.getTime() + offsetAt(date.getTime(), zone)).toISOString().slice(0, -1);
}

/** The moment at which the clock of the zone shows this; undefined where it is no time at all. */
export function fromLocalText(text: string, zone: string): string | undefined {
  const shown = Date.parse(`${text}Z`);
  return Number.isNaN(shown) ? undefined : new Date(momentOf(shown, zone)).toISOString();
}

/** The moment at which a calendar date is over in a zone. */
export function endOfDate(date: string, zone: string): string | undefined {
  const next = new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000);
  return Number.isNaN(next.getTime())
    ? undefined
    : fromLocalText(`${next.toISOString().slice(0, 10)}T00:00:00`, zone);
}
