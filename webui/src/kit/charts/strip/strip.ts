// A day as a strip: positions of times, the span at a position, and selection by keyboard.
import { t } from "../../../core/i18n/translate.svelte";
import type { Path } from "../../../core/color/palette";

export interface Edges {
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
}

export interface Span extends Edges {
  readonly label: string;
  /** undefined for spans that cannot have a category, such as away time. */
  readonly category: Path | undefined;
  readonly isAway: boolean;
  /** How many recorded spans this one combines. */
  readonly count: number;
}

export interface Lane {
  readonly device: string;
  /** Sorted by start; they do not overlap. */
  readonly spans: readonly Span[];
}

/** The columns of one lane of a response of /api/1/timeline. */
interface LaneColumns {
  readonly device: string;
  readonly gap: readonly number[];
  readonly dur: readonly number[];
  readonly key: readonly number[];
  readonly cat: readonly number[];
  readonly n: readonly number[];
}
interface Columns {
  readonly range: { readonly start: string };
  readonly lanes: readonly LaneColumns[];
  readonly keys: readonly string[];
  readonly categories: readonly Path[];
}

/** The lanes of a response, combined with the away time from another response about the same range. */
export function lanesOf(active: Columns, away?: Columns): Lane[] {
  const awayOf = new Map<string, Span[]>();
  for (const lane of away?.lanes ?? []) {
    const spans = spansOf(away as Columns, lane)
      .filter((span) => span.label === "afk")
      .map((span) => ({ ...span, label: t("common.awayTitle"), category: undefined, isAway: true }));
    awayOf.set(lane.device, [...(awayOf.get(lane.device) ?? []), ...spans]);
  }
  const devices = active.lanes.map((lane) => ({
    device: lane.device,
    spans: [...(awayOf.get(lane.device) ?? []), ...spansOf(active, lane)].sort((a, b) => a.start - b.start),
  }));
  return devices.filter((lane) => lane.spans.some((span) => !span.isAway));
}

function spansOf(answer: Columns, lane: LaneColumns): Span[] {
  let place = new Date(answer.range.start).getTime();
  return lane.gap.map((gap, index) => {
    const start = place + gap / 1000;
    place = start + (lane.dur[index] ?? 0) / 1000;
    return {
      start,
      end: place,
      label: answer.keys[lane.key[index] ?? -1] ?? t("charts.unknown"),
      category: answer.categories[lane.cat[index] ?? -1],
      isAway: false,
      count: lane.n[index] ?? 1,
    };
  });
}

/** The position of a time, from 0 at the start to 1 at the end. */
export function place(moment: number, { start, end }: Edges): number {
  return end > start ? Math.min(1, Math.max(0, (moment - start) / (end - start))) : 0;
}

export function momentAt(share: number, { start, end }: Edges): number {
  return start + Math.min(1, Math.max(0, share)) * (end - start);
}

/** The span at a time, or the nearest one within `reach` milliseconds. */
export function spanAt(spans: readonly Span[], moment: number, reach = 0): Span | undefined {
  let found: Span | undefined;
  let distance = Infinity;
  for (const span of spans) {
    const away = moment < span.start ? span.start - moment : moment >= span.end ? moment - span.end + 1 : 0;
    // Activity is preferred to away time.
    if (away < distance || (away === distance && found?.isAway)) [found, distance] = [span, away];
  }
  return distance <= reach ? found : undefined;
}

const MINUTE = 60_000;

/** Both ends on whole minutes, ordered and within the edges; undefined if nothing is left. */
export function rangeBetween(one: number, other: number, edges: Edges): Edges | undefined {
  const snap = (moment: number) =>
    Math.min(edges.end, Math.max(edges.start, Math.round(moment / MINUTE) * MINUTE));
  const [start, end] = [snap(Math.min(one, other)), snap(Math.max(one, other))];
  return end > start ? { start, end } : undefined;
}

/** A selection after one more key press: it starts at `from`, and its free end moves by `step`. */
export function grown(
  selection: Edges | undefined,
  from: number,
  step: number,
  edges: Edges,
): Edges | undefined {
  if (!selection)
    return step > 0 ? rangeBetween(from, from + step, edges) : rangeBetween(from + step, from, edges);
  return rangeBetween(selection.start, selection.end + step, edges);
}

/** A selection in the URL and back: "2026-11-15T09:05:00.000Z~…". */
export function selectionText({ start, end }: Edges): string {
  return `${new Date(start).toISOString()}~${new Date(end).toISOString()}`;
}

export function parseSelection(text: string | null, edges: Edges): Edges | undefined {
  const [start, end] = (text ?? "").split("~").map((part) => Date.parse(part));
  if (start === undefined || end === undefined || Number.isNaN(start) || Number.isNaN(end)) return undefined;
  return start < end && start >= edges.start && end <= edges.end ? { start, end } : undefined;
}
