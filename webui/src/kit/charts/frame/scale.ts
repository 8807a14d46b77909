// From values to positions, and the ticks of an axis of durations: round steps in minutes and hours.
import { formatNumber } from "../../../core/i18n/format";

/** A function from one range of numbers to another; descending if `to` is. */
export function linear(from: readonly [number, number], to: readonly [number, number]) {
  const width = from[1] - from[0] || 1;
  return (value: number): number => to[0] + ((value - from[0]) / width) * (to[1] - to[0]);
}

export interface Bands {
  /** The start of a bar. */
  at(slot: number): number;
  /** The middle of a bar, where its label is. */
  middle(slot: number): number;
  readonly width: number;
}

/** Bars side by side in some space; `gap` is a share of each one's slot. */
export function bands(count: number, space: number, gap = 0.25, widest = 48): Bands {
  const slot = space / Math.max(1, count);
  const width = Math.max(1, Math.min(widest, slot * (1 - gap)));
  const at = (each: number) => each * slot + (slot - width) / 2;
  return { at, middle: (each) => each * slot + slot / 2, width };
}

const MINUTE = 60;
const HOUR = 3600;
const STEPS: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 4, 6, 8, 12, 24].map((count) => count * HOUR),
];

/** Evenly spaced seconds from 0 to at least `most`, with no more than `wanted` steps between them. */
export function durationTicks(most: number, wanted = 4): number[] {
  const step = STEPS.find((each) => Math.ceil(most / each) <= wanted) ?? roundHours(most / wanted);
  const count = Math.max(1, Math.ceil(most / step));
  return Array.from({ length: count + 1 }, (_, place) => place * step);
}

/** A short axis label: "0", "45m", "6h", "1h 30m", "1,200h". */
export function tickLabel(seconds: number): string {
  if (seconds === 0) return "0";
  const minutes = Math.round(seconds / MINUTE);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours === 0) return `${rest}m`;
  return formatNumber(hours) + "h" + (rest ? ` ${String(rest).padStart(2, "0")}m` : "");
}

/** How many labels to skip so that each fits: every one, every second, … */
export function every(count: number, space: number, width: number): number {
  const fit = Math.max(1, Math.floor(space / width));
  return Math.max(1, Math.ceil(count / fit));
}

/** The next of 50, 100, 200, 500, … hours. */
function roundHours(seconds: number): number {
  const hours = seconds / HOUR;
  const power = 10 ** Math.floor(Math.log10(hours));
  const found = [1, 2, 5, 10].find((each) => each * power >= hours) ?? 10;
  return found * power * HOUR;
}
