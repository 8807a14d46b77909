// The larger stretch that the overview shows around what is on the screen.
import type { Series } from "../../../core/api/schema";
import { dayOf } from "../../../core/time/zone";
import type { Viewport } from "./viewport";

export type Around =
  | { readonly period: "day" | "month" | "year"; readonly date: string }
  | { readonly start: number; readonly end: number };

const DAY = 86_400_000;

/** The day of some hours, the month of some days, the year of some months, else all there is. */
export function aroundOf(viewport: Viewport, known: Viewport, zone: string, dayStart: string): Around {
  const size = viewport.end - viewport.start;
  const middle = (viewport.start + viewport.end) / 2;
  // The day that the server counts this moment to; it says itself where that day begins and ends.
  const date = dayOf(middle, zone, dayStart);
  if (size <= DAY / 2) return { period: "day", date };
  if (size <= 8 * DAY) return monthOf(date);
  if (size <= 120 * DAY) return { period: "year", date: `${date.slice(0, 4)}-06-15` };
  return { start: Math.floor(known.start / DAY) * DAY, end: Math.ceil(known.end / DAY) * DAY };
}

/** Always the same date of a month or a year, so that who moves within it asks for nothing new. */
export const monthOf = (date: string) => ({ period: "month", date: `${date.slice(0, 7)}-15` }) as const;

/** From the first event, or yesterday, to a day after the last one or after now. */
export function recordedRange(
  buckets: readonly { readonly first: string | null; readonly last: string | null }[],
  now: number,
): Viewport {
  const times = buckets.flatMap(({ first, last }) =>
    first && last ? [Date.parse(first), Date.parse(last)] : [],
  );
  return {
    start: times.reduce((one, other) => Math.min(one, other), now - DAY),
    end: times.reduce((one, other) => Math.max(one, other), now) + DAY,
  };
}

/** The part of each stretch that was active, from 0 to 1. */
export function sharesOf(answer: Pick<Series, "range" | "edges" | "total">) {
  const edges = answer.edges.map((edge) => Date.parse(edge));
  return {
    range: { start: Date.parse(answer.range.start), end: Date.parse(answer.range.end) },
    edges,
    shares: answer.total.map((seconds, place) => {
      const [from = 0, to = 0] = [edges[place], edges[place + 1]];
      return to > from ? (1000 * seconds) / (to - from) : 0;
    }),
  };
}
