// Times in form fields with seconds: "2026-11-15T09:05:31.250", as local time of a zone.
import { momentOf, offsetAt } from "../offset";

/** A time as the value of a datetime-local input, to the millisecond. */
export function toExactField(moment: number, zone: string): string {
  const text = new Date(Math.floor(moment) + offsetAt(moment, zone)).toISOString().slice(0, 23);
  return text.replace(/\.000$/, "");
}

/** The time in a field; the original if the field is unchanged, because the original may be more precise. */
export function fromExactField(text: string, zone: string, original: number): number | undefined {
  if (text === toExactField(original, zone)) return original;
  const wall = Date.parse(`${text}Z`);
  return Number.isNaN(wall) ? undefined : momentOf(wall, zone);
}
