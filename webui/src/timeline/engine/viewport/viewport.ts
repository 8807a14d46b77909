// The part of time that is on the screen, and how it moves. All times are milliseconds since 1970.

export interface Viewport {
  readonly start: number;
  readonly end: number;
}

export interface Limits extends Viewport {
  /** The shortest and the longest stretch that may be shown. */
  readonly shortest: number;
  readonly longest: number;
}

export const SHORTEST = 60_000;
const YEAR = 366 * 86_400_000;

/** What may be shown: everything that was recorded, with a margin, and at least a minute. */
export function limitsOf(first: number, last: number): Limits {
  const margin = Math.max(YEAR, (last - first) * 0.25);
  const [start, end] = [first - margin, last + margin];
  return { start, end, shortest: SHORTEST, longest: end - start };
}

export function length(viewport: Viewport): number {
  return viewport.end - viewport.start;
}

export function timeAt(x: number, viewport: Viewport, width: number): number {
  return viewport.start + (x / Math.max(1, width)) * length(viewport);
}

export function placeOf(time: number, viewport: Viewport, width: number): number {
  return ((time - viewport.start) / length(viewport)) * width;
}

/** Closer by a factor (below 1) or further away (above 1), while what is under `at` stays where it is. */
export function zoomed(viewport: Viewport, factor: number, at: number, limits: Limits): Viewport {
  const before = length(viewport);
  const after = Math.min(limits.longest, Math.max(limits.shortest, before * factor));
  const share = (at - viewport.start) / before;
  return within({ start: at - share * after, end: at - share * after + after }, limits);
}

export function panned(viewport: Viewport, by: number, limits: Limits): Viewport {
  return within({ start: viewport.start + by, end: viewport.end + by }, limits);
}

/** The same stretch, moved so that it shows a span; unchanged where it shows it. */
export function revealing(viewport: Viewport, start: number, end: number, limits: Limits): Viewport {
  const size = length(viewport);
  const margin = size * 0.06;
  if (end - start > size - 2 * margin) {
    const isSeen = start < viewport.end - margin && end > viewport.start + margin;
    return isSeen ? viewport : panned(viewport, start - margin - viewport.start, limits);
  }
  if (start < viewport.start + margin) return panned(viewport, start - margin - viewport.start, limits);
  if (end > viewport.end - margin) return panned(viewport, end + margin - viewport.end, limits);
  return viewport;
}

/** A span with a margin on either side. */
export function fitting(start: number, end: number, limits: Limits): Viewport {
  const size = Math.min(limits.longest, Math.max(limits.shortest, (end - start) * 1.2));
  const middle = (start + end) / 2;
  return within({ start: middle - size / 2, end: middle + size / 2 }, limits);
}

export function within(viewport: Viewport, limits: Limits): Viewport {
  const size = Math.min(length(viewport), limits.longest);
  const start = Math.min(Math.max(viewport.start, limits.start), limits.end - size);
  return { start, end: start + size };
}

const SNAPS = [0.1, 1, 5, 10, 30, 60, 300, 600, 900].map((seconds) => seconds * 1000);

/** The nearest time that is round at this zoom, so that a selection begins at 10:05 and not at 10:05:17. */
export function snapped(time: number, millisecondsPerPixel: number): number {
  const step = SNAPS.findLast((each) => each <= 2 * millisecondsPerPixel) ?? 1;
  return Math.round(time / step) * step;
}

/** A moment as the server writes it, to the microsecond. */
export function moment(time: number): string {
  const micros = Math.round(time * 1000);
  const [seconds, rest] = [Math.floor(micros / 1e6), ((micros % 1e6) + 1e6) % 1e6];
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
  if (rest === 0) return `${whole}Z`;
  return `${whole}.${String(rest)
    .padStart(6, "0")
    .replace(/(000)$/, "")}Z`;
}
