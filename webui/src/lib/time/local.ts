// Moments as a field for date and time writes them: by the clock of a zone, without naming it.
import { isoDate } from "./zone";

/** "2026-03-05T16:40:02.125", by the clock of the zone. */
export function toLocalText(moment: string, zone: string): string {
  const date = new Date(moment);
  return new Date(date.getTime() + offsetAt(date.getTime(), zone)).toISOString().slice(0, -1);
}

/** The moment at which the clock of the zone shows this; undefined where it is no time at all. */
export function fromLocalText(text: string, zone: string): string | undefined {
  const shown = Date.parse(`${text}Z`);
  if (Number.isNaN(shown)) return undefined;
  // The offset at the moment itself is the right one, and close to a change of the clock the first guess is not.
  const guess = shown - offsetAt(shown, zone);
  return new Date(shown - offsetAt(guess, zone)).toISOString();
}

/** The moment at which a calendar date is over in a zone. */
export function endOfDate(date: string, zone: string): string | undefined {
  const next = new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000);
  return Number.isNaN(next.getTime())
    ? undefined
    : fromLocalText(`${next.toISOString().slice(0, 10)}T00:00:00`, zone);
}

/** How many milliseconds the clock of a zone is ahead of UTC. */
function offsetAt(moment: number, zone: string): number {
  const parts = new Map(
    new Intl.DateTimeFormat("en-GB", {
      timeZone: zone,
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    })
      .formatToParts(moment)
      .map((part) => [part.type, part.value]),
  );
  const shown = Date.parse(
    `${isoDate(moment, zone)}T${parts.get("hour")}:${parts.get("minute")}:${parts.get("second")}Z`,
  );
  return shown - Math.floor(moment / 1000) * 1000;
}
