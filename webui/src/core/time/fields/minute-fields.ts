// Times in form fields: "2026-11-15T09:05", as local time of a zone.
import { momentOf, offsetAt } from "../offset";

/** A time as the value of a datetime-local input. */
export function toField(moment: number, zone: string): string {
  return new Date(moment + offsetAt(moment, zone)).toISOString().slice(0, 16);
}

/** The time at which the local clock shows the value; the first of two, undefined for none. */
export function fromField(text: string, zone: string): number | undefined {
  const wanted = Date.parse(`${text}Z`);
  if (Number.isNaN(wanted)) return undefined;
  const moment = momentOf(wanted, zone);
  return toField(moment, zone) === text.slice(0, 16) ? moment : undefined;
}
