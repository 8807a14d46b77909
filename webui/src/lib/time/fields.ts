// Moments in fields of forms: "2026-11-15T09:05", as clocks of a zone show it.
import { momentOf, offsetAt } from "./offset";

/** A moment as a field of the type datetime-local takes it. */
export function toField(moment: number, zone: string): string {
  return new Date(moment + offsetAt(moment, zone)).toISOString().slice(0, 16);
}

/** The moment at which clocks of the zone show what the field says; the first of two, undefined for none. */
export function fromField(text: string, zone: string): number | undefined {
  const told = Date.parse(`${text}Z`);
  if (Number.isNaN(told)) return undefined;
  const moment = momentOf(told, zone);
  return toField(moment, zone) === text.slice(0, 16) ? moment : undefined;
}
