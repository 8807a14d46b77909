// Moments in fields of forms: "2026-11-15T09:05", as clocks of a zone show it.
import { clockOf, isoDate } from "./zone";

const pad = (value: number) => String(value).padStart(2, "0");

/** A moment as a field of the type datetime-local takes it. */
export function toField(moment: number, zone: string): string {
  const { hour, minute } = clockOf(moment, zone);
  return `${isoDate(moment, zone)}T${pad(hour)}:${pad(minute)}`;
}

/** The moment at which clocks of the zone show what the field says; the first of two, undefined for none. */
export function fromField(text: string, zone: string): number | undefined {
  const told = Date.parse(`${text}Z`);
  if (Number.isNaN(told)) return undefined;
  // Zones are at most 14 hours from UTC, in steps of a quarter of an hour.
  const QUARTER = 15 * 60_000;
  for (let offset = 14 * 4; offset >= -12 * 4; offset -= 1) {
    const moment = told - offset * QUARTER;
    if (toField(moment, zone) === text.slice(0, 16)) return moment;
  }
  return undefined;
}
