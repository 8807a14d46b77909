// Moments in fields of forms with their seconds: "2026-11-15T09:05:31.250", as clocks of a zone show it.
import { momentOf, offsetAt } from "./offset";

/** A moment as a field of the type datetime-local takes it, to the millisecond. */
export function toExactField(moment: number, zone: string): string {
  const text = new Date(Math.floor(moment) + offsetAt(moment, zone)).toISOString().slice(0, 23);
  return text.replace(/\.000$/, "");
}

/** The moment that a field says; the original where nobody changed it, since that may be more exact. */
export function fromExactField(text: string, zone: string, original: number): number | undefined {
  if (text === toExactField(original, zone)) return original;
  const wall = Date.parse(`${text}Z`);
  return Number.isNaN(wall) ? undefined : momentOf(wall, zone);
}
