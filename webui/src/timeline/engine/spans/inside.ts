// The spans of an answer as one list, by start.
import type { TimelineResponse } from "../../../core/api/schema";
import { readTile, spanAt, Texts, type Lane, type Span } from "./model";

export interface InsideRow {
  readonly lane: Lane;
  readonly span: Span;
}

/** `device` leaves out the lanes of other devices; "" is all of them. */
export function rowsInside(
  answer: TimelineResponse,
  start: number,
  device: string,
): { rows: InsideRow[]; texts: Texts } {
  const texts = new Texts();
  const tile = readTile(answer, start, start, texts);
  const rows = tile.lanes
    .filter((lane) => device === "" || lane.device === device)
    .flatMap((lane) => {
      const spans = tile.spans.get(lane.id);
      return Array.from({ length: spans?.size ?? 0 }, (_, place) => {
        const span = spans && spanAt(spans, place);
        return span ? [{ lane, span }] : [];
      }).flat();
    });
  return { rows: rows.sort((one, other) => one.span.start - other.span.start), texts };
}
