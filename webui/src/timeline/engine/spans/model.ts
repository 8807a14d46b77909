// What is on the timeline: lanes, and in each of them spans in columns, as the server sends them.
import type { LaneResponse, TimelineResponse } from "../../../core/api/schema";
import type { Path } from "../../../core/color/palette";

export interface Lane {
  /** The bucket's id, or the device's name where lanes are devices. */
  readonly id: string;
  readonly bucket: string | null;
  readonly device: string;
  readonly type: string;
}

/** Spans by their start. `key`, `title` and `cat` are places in the texts that all tiles share; -1 is none. */
export interface Spans {
  readonly size: number;
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly key: Int32Array;
  readonly cat: Int32Array;
  readonly title: Int32Array;
  readonly n: Int32Array;
  readonly cover: Float32Array;
  readonly share: Float32Array;
  /** The event's id; 0 where several events are merged. */
  readonly id: Float64Array;
}

/** A single span. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly key: number;
  readonly cat: number;
  readonly title: number;
  readonly n: number;
  readonly cover: number;
  readonly share: number;
  readonly id: number;
}

export const NO_SPANS: Spans = emptySpans(0);

function emptySpans(size: number): Spans {
  return {
    size,
    start: new Float64Array(size),
    end: new Float64Array(size),
    key: new Int32Array(size),
    cat: new Int32Array(size),
    title: new Int32Array(size),
    n: new Int32Array(size),
    cover: new Float32Array(size),
    share: new Float32Array(size),
    id: new Float64Array(size),
  };
}

export function spanAt(spans: Spans, place: number): Span | undefined {
  if (place < 0 || place >= spans.size) return undefined;
  const number = (column: ArrayLike<number>) => column[place] ?? 0;
  return {
    start: number(spans.start),
    end: number(spans.end),
    key: number(spans.key),
    cat: number(spans.cat),
    title: number(spans.title),
    n: number(spans.n),
    cover: number(spans.cover),
    share: number(spans.share),
    id: number(spans.id),
  };
}

/** Texts that are the same in several answers have one number here. */
export class Texts {
  readonly keys: string[] = [];
  readonly titles: string[] = [];
  readonly categories: Path[] = [];
  readonly #keys = new Map<string, number>();
  readonly #titles = new Map<string, number>();
  readonly #categories = new Map<string, number>();

  key(text: string): number {
    return placed(this.#keys, this.keys, text, text);
  }

  title(text: string): number {
    return placed(this.#titles, this.titles, text, text);
  }

  category(path: Path): number {
    return placed(this.#categories, this.categories, JSON.stringify(path), path);
  }
}

function placed<T>(places: Map<string, number>, list: T[], key: string, value: T): number {
  let place = places.get(key);
  if (place === undefined) {
    place = list.push(value) - 1;
    places.set(key, place);
  }
  return place;
}

/** A part of the timeline as it was answered. */
export interface Tile {
  readonly start: number;
  readonly end: number;
  readonly lanes: readonly Lane[];
  readonly spans: ReadonlyMap<string, Spans>;
}

function laneId(lane: { readonly bucket: string | null; readonly device: string }): string {
  return lane.bucket ?? lane.device;
}

export function readTile(answer: TimelineResponse, start: number, end: number, texts: Texts): Tile {
  const keys = answer.keys.map((text) => texts.key(text));
  const titles = answer.titles.map((text) => texts.title(text));
  const categories = answer.categories.map((path) => texts.category(path));
  const lanes: Lane[] = [];
  const spans = new Map<string, Spans>();
  for (const lane of answer.lanes) {
    const id = laneId(lane);
    lanes.push({ id, bucket: lane.bucket, device: lane.device, type: lane.type });
    spans.set(id, readLane(lane, start * 1000, keys, titles, categories));
  }
  return { start, end, lanes, spans };
}

/** The columns of a lane. Sums are made in whole microseconds, where they are exact. */
function readLane(
  lane: LaneResponse,
  from: number,
  keys: readonly number[],
  titles: readonly number[],
  categories: readonly number[],
): Spans {
  const spans = emptySpans(lane.gap.length);
  let at = from;
  for (let place = 0; place < spans.size; place += 1) {
    at += lane.gap[place] ?? 0;
    spans.start[place] = at / 1000;
    at += lane.dur[place] ?? 0;
    spans.end[place] = at / 1000;
    spans.key[place] = keys[lane.key[place] ?? -1] ?? -1;
    spans.cat[place] = categories[lane.cat[place] ?? -1] ?? -1;
    spans.title[place] = titles[lane.title[place] ?? -1] ?? -1;
    spans.n[place] = lane.n[place] ?? 1;
    spans.cover[place] = lane.cover[place] ?? 1;
    spans.share[place] = lane.share[place] ?? 1;
    spans.id[place] = lane.id[place] ?? 0;
  }
  return spans;
}

export interface Piece {
  readonly spans: Spans;
  /** The part of them that is to be seen. */
  readonly start: number;
  readonly end: number;
}

/** The spans of neighboring pieces as one list, in which an event that is in two of them is one span. */
export function joined(pieces: readonly Piece[]): Spans {
  const all = emptySpans(pieces.reduce((sum, piece) => sum + piece.spans.size, 0));
  let size = 0;
  const openEnds = new Map<number, number>();
  for (const { spans, start: from, end: to } of pieces) {
    for (let place = 0; place < spans.size; place += 1) {
      let start = spans.start[place] ?? 0;
      let end = spans.end[place] ?? 0;
      if (end < from || start >= to || (end === from && start < from)) continue;
      const id = spans.id[place] ?? 0;
      // Merged spans have no ids to match, so they are cut where the next piece starts.
      start = Math.max(start, from);
      end = Math.min(end, to);
      const before = id === 0 ? undefined : openEnds.get(id);
      if (before !== undefined && all.end[before] === start) {
        all.end[before] = end;
        continue;
      }
      if (id !== 0 && end === to) openEnds.set(id, size);
      all.start[size] = start;
      all.end[size] = end;
      all.key[size] = spans.key[place] ?? -1;
      all.cat[size] = spans.cat[place] ?? -1;
      all.title[size] = spans.title[place] ?? -1;
      all.n[size] = spans.n[place] ?? 1;
      all.cover[size] = spans.cover[place] ?? 1;
      all.share[size] = spans.share[place] ?? 1;
      all.id[size] = id;
      size += 1;
    }
  }
  return shortened(all, size);
}

function shortened(spans: Spans, size: number): Spans {
  if (size === spans.size) return spans;
  return {
    size,
    start: spans.start.subarray(0, size),
    end: spans.end.subarray(0, size),
    key: spans.key.subarray(0, size),
    cat: spans.cat.subarray(0, size),
    title: spans.title.subarray(0, size),
    n: spans.n.subarray(0, size),
    cover: spans.cover.subarray(0, size),
    share: spans.share.subarray(0, size),
    id: spans.id.subarray(0, size),
  };
}

/** What a change makes of a lane's events, while the server is still asked to do it. */
export interface Edit {
  readonly lane: string;
  hides(span: Span): boolean;
  readonly added: readonly Span[];
}

export function edited(spans: Spans, edits: readonly Edit[]): Spans {
  if (edits.length === 0) return spans;
  const list: Span[] = [];
  for (let place = 0; place < spans.size; place += 1) {
    const span = spanAt(spans, place);
    if (span && !edits.some((edit) => edit.hides(span))) list.push(span);
  }
  list.push(...edits.flatMap((edit) => edit.added));
  return spansOf(list.sort((one, other) => one.start - other.start));
}

export function spansOf(list: readonly Span[]): Spans {
  const spans = emptySpans(list.length);
  list.forEach((span, place) => {
    spans.start[place] = span.start;
    spans.end[place] = span.end;
    spans.key[place] = span.key;
    spans.cat[place] = span.cat;
    spans.title[place] = span.title;
    spans.n[place] = span.n;
    spans.cover[place] = span.cover;
    spans.share[place] = span.share;
    spans.id[place] = span.id;
  });
  return spans;
}
