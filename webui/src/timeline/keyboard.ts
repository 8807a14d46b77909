// The keys of the timeline, done: where the focus goes and what becomes of the selection.
import type { Board, Found } from "./board.svelte";
import { visible } from "./draw";
import { nearest } from "./hit";
import type { TimelineAct } from "./keys";

export interface Acts {
  /** `isByKey`: the focus goes along. */
  open(found: Found, isByKey?: boolean): void;
  /** Go to it on the lanes. */
  show(found: Found): void;
  /** Without one: the event that is open. */
  edit(found: Found | undefined): void;
  note(found: Found | undefined): void;
  remove(found: Found | undefined): void;
  select(range: { start: number; end: number } | undefined): void;
  leave(): void;
}

const ZOOM = 1.5;
const PAN = 0.2;

export function perform(board: Board, act: TimelineAct, acts: Acts): void {
  const focused = board.find(board.focus);
  switch (act.act) {
    case "zoom":
      board.zoom(act.direction > 0 ? 1 / ZOOM : ZOOM, focused && middle(board, focused));
      return;
    case "pan":
      board.panBy(act.direction * PAN * (board.viewport.end - board.viewport.start));
      return;
    case "span":
      focusOn(board, focused ? neighbour(board, focused, act.direction) : first(board));
      return;
    case "extend":
      extend(board, focused, act.direction, acts);
      return;
    case "lane":
      focusOn(board, focused ? inLane(board, focused, act.direction) : first(board));
      return;
    case "edge":
      focusOn(board, atEdge(board, focused ?? first(board), act.direction));
      return;
    case "open":
      if (focused) acts.open(focused, true);
      else focusOn(board, first(board));
      return;
    case "edit":
      acts.edit(focused);
      return;
    case "note":
      acts.note(focused);
      return;
    case "delete":
      acts.remove(focused);
      return;
    case "leave":
      acts.leave();
  }
}

export function focusOn(board: Board, found: Found | undefined): void {
  if (!found) return;
  board.focus = { lane: found.lane.id, id: found.span.id, start: found.span.start };
  board.reveal(found.span.start, found.span.end);
}

/** Where keys begin: the span in the middle of the first lane that has one. */
function first(board: Board): Found | undefined {
  const { start, end } = board.viewport;
  for (let lane = 0; lane < board.strips.length; lane += 1) {
    const strip = board.strips[lane];
    if (!strip) continue;
    const [from, to] = visible(strip, board.viewport);
    if (from >= to) continue;
    const place = nearest(strip.spans, (start + end) / 2);
    return board.at(lane, Math.min(to - 1, Math.max(from, place)));
  }
  return undefined;
}

function neighbour(board: Board, focused: Found, direction: 1 | -1): Found | undefined {
  return board.at(focused.laneIndex, focused.place + direction);
}

/** The nearest lane above or below that has something about here. */
function inLane(board: Board, focused: Found, direction: 1 | -1): Found | undefined {
  const time = middle(board, focused);
  for (let lane = focused.laneIndex + direction; lane >= 0 && lane < board.strips.length; lane += direction) {
    const strip = board.strips[lane];
    if (!strip) continue;
    const [from, to] = visible(strip, board.viewport);
    if (from < to) return board.at(lane, Math.min(to - 1, Math.max(from, nearest(strip.spans, time))));
  }
  return undefined;
}

function atEdge(board: Board, focused: Found | undefined, direction: 1 | -1): Found | undefined {
  const strip = focused && board.strips[focused.laneIndex];
  if (!strip) return undefined;
  const [from, to] = visible(strip, board.viewport);
  return board.at(focused.laneIndex, direction < 0 ? from : to - 1);
}

/** The selection grows from the span on which it began. */
function extend(board: Board, focused: Found | undefined, direction: 1 | -1, acts: Acts): void {
  if (!focused) {
    focusOn(board, first(board));
    return;
  }
  const { span } = focused;
  const selected = board.selection;
  if (!selected || span.start < selected.start || span.end > selected.end) {
    acts.select({ start: span.start, end: span.end });
    return;
  }
  const next = neighbour(board, focused, direction);
  if (!next) return;
  focusOn(board, next);
  // Back over what was selected makes it shorter again.
  const isAtEnd = Math.abs(span.end - selected.end) < 1;
  const isAtStart = Math.abs(span.start - selected.start) < 1;
  if (direction > 0)
    acts.select(
      isAtStart && !isAtEnd
        ? { start: next.span.start, end: selected.end }
        : { start: selected.start, end: Math.max(selected.end, next.span.end) },
    );
  else
    acts.select(
      isAtEnd && !isAtStart
        ? { start: selected.start, end: next.span.end }
        : { start: Math.min(selected.start, next.span.start), end: selected.end },
    );
}

/** The middle of the part of a span that is on the screen. */
function middle(board: Board, { span }: Found): number {
  const { start, end } = board.viewport;
  return (Math.max(span.start, start) + Math.min(span.end, end)) / 2;
}
