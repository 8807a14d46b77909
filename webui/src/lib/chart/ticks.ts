// Ticks of a time axis: round steps in minutes (base 60) and hours (12 and 10).
import { formatNumber } from "../../core/i18n/format";

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
