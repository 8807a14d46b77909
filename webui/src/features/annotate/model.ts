// Annotations as they are shown on a day.
import type { AnnotationView } from "../../core/api/schema";
import { t } from "../../core/i18n/translate.svelte";
import type { Edges } from "../../kit/charts/strip/strip";
import { pathLabel } from "../../core/text/paths";

/** What an annotation says: its text, or else what it does. */
export function noteText({ label, kind, category }: Pick<AnnotationView, "label" | "kind" | "category">) {
  if (label) return label;
  if (kind === "exclude") return t("annotate.excluded");
  return category ? pathLabel(category) : t("annotate.addedTime");
}

/** Those that are in effect, on one of these devices or on all, the earliest first. */
export function visibleNotes<N extends Pick<AnnotationView, "start" | "device" | "is_on">>(
  notes: readonly N[],
  devices: readonly string[],
): N[] {
  return notes
    .filter(
      ({ is_on, device }) => is_on && (device === null || devices.length === 0 || devices.includes(device)),
    )
    .sort((one, other) => Date.parse(one.start) - Date.parse(other.start));
}

export interface PlacedNote<N> extends Edges {
  readonly note: N;
  /** Overlapping notes are in different rows. */
  readonly row: number;
}

/** Notes within the edges of a day, each at least `least` milliseconds long and in the first row that is free. */
export function placeNotes<N extends Pick<AnnotationView, "start" | "end">>(
  notes: readonly N[],
  edges: Edges,
  least: number,
): PlacedNote<N>[] {
  const ends: number[] = [];
  return notes.map((note) => {
    const start = Math.max(edges.start, Math.min(Date.parse(note.start), edges.end - least));
    const end = Math.min(edges.end, Math.max(Date.parse(note.end), start + least));
    const free = ends.findIndex((taken) => taken <= start);
    const row = free < 0 ? ends.length : free;
    ends[row] = end;
    return { note, start, end, row };
  });
}
