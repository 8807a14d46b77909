// The same spans as rows of a table, by the time at which they begin.
import { visible, type Strip } from "../paint/draw";
import { spanAt, type Lane, type Span } from "./model";
import type { TableContent } from "../viewport/address";
import type { Viewport } from "../viewport/viewport";
import { SESSIONS } from "../paint/layout";

export interface TableRow {
  readonly key: string;
  readonly lane: Lane;
  readonly laneIndex: number;
  readonly place: number;
  readonly span: Span;
}

/** The sessions on the screen, or the events of all lanes or of one. */
export function tableRows(
  strips: readonly Strip[],
  viewport: Viewport,
  content: TableContent,
  only?: string,
): TableRow[] {
  const rows: TableRow[] = [];
  strips.forEach((strip, laneIndex) => {
    if ((strip.lane === SESSIONS) !== (content === "sessions")) return;
    if (only !== undefined && strip.lane.id !== only) return;
    const [from, to] = visible(strip, viewport);
    for (let place = from; place < to; place += 1) {
      const span = spanAt(strip.spans, place);
      // The first one may only be reached by one before it.
      if (!span || span.end <= viewport.start) continue;
      rows.push({
        key: `${strip.lane.id} ${span.id} ${span.start}`,
        lane: strip.lane,
        laneIndex,
        place,
        span,
      });
    }
  });
  return rows.sort((one, other) => one.span.start - other.span.start || one.laneIndex - other.laneIndex);
}
