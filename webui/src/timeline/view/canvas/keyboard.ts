// The keys of the timeline, done: where the focus goes and what becomes of the selection.
import type { TimelineStore, Found } from "../../store.svelte";
import { visible } from "../../engine/paint/draw";
import { nearest } from "../../engine/spans/hit";
import type { TimelineAct } from "../../engine/input/key-actions";

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

export function perform(store: TimelineStore, act: TimelineAct, acts: Acts): void {
  const focused = store.find(store.focus);
  switch (act.act) {
    case "zoom":
      store.zoom(act.direction > 0 ? 1 / ZOOM : ZOOM, focused && middle(store, focused));
      return;
    case "pan":
      store.panBy(act.direction * PAN * (store.viewport.end - store.viewport.start));
      return;
    case "span":
      focusOn(store, focused ? neighbor(store, focused, act.direction) : first(store));
      return;
    case "extend":
      extend(store, focused, act.direction, acts);
      return;
    case "lane":
      focusOn(store, focused ? inLane(store, focused, act.direction) : first(store));
      return;
    case "edge":
      focusOn(store, atEdge(store, focused ?? first(store), act.direction));
      return;
    case "open":
      if (focused) acts.open(focused, true);
      else focusOn(store, first(store));
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

export function focusOn(store: TimelineStore, found: Found | undefined): void {
  if (!found) return;
  store.focus = { lane: found.lane.id, id: found.span.id, start: found.span.start };
  store.reveal(found.span.start, found.span.end);
}

/** Where keys begin: the span in the middle of the first lane that has one. */
function first(store: TimelineStore): Found | undefined {
  const { start, end } = store.viewport;
  for (let lane = 0; lane < store.strips.length; lane += 1) {
    const strip = store.strips[lane];
    if (!strip) continue;
    const [from, to] = visible(strip, store.viewport);
    if (from >= to) continue;
    const place = nearest(strip.spans, (start + end) / 2);
    return store.at(lane, Math.min(to - 1, Math.max(from, place)));
  }
  return undefined;
}

function neighbor(store: TimelineStore, focused: Found, direction: 1 | -1): Found | undefined {
  return store.at(focused.laneIndex, focused.place + direction);
}

/** The nearest lane above or below that has something about here. */
function inLane(store: TimelineStore, focused: Found, direction: 1 | -1): Found | undefined {
  const time = middle(store, focused);
  for (let lane = focused.laneIndex + direction; lane >= 0 && lane < store.strips.length; lane += direction) {
    const strip = store.strips[lane];
    if (!strip) continue;
    const [from, to] = visible(strip, store.viewport);
    if (from < to) return store.at(lane, Math.min(to - 1, Math.max(from, nearest(strip.spans, time))));
  }
  return undefined;
}

function atEdge(store: TimelineStore, focused: Found | undefined, direction: 1 | -1): Found | undefined {
  const strip = focused && store.strips[focused.laneIndex];
  if (!strip) return undefined;
  const [from, to] = visible(strip, store.viewport);
  return store.at(focused.laneIndex, direction < 0 ? from : to - 1);
}

/** The selection grows from the span on which it began. */
function extend(store: TimelineStore, focused: Found | undefined, direction: 1 | -1, acts: Acts): void {
  if (!focused) {
    focusOn(store, first(store));
    return;
  }
  const { span } = focused;
  const selected = store.selection;
  if (!selected || span.start < selected.start || span.end > selected.end) {
    acts.select({ start: span.start, end: span.end });
    return;
  }
  const next = neighbor(store, focused, direction);
  if (!next) return;
  focusOn(store, next);
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
function middle(store: TimelineStore, { span }: Found): number {
  const { start, end } = store.viewport;
  return (Math.max(span.start, start) + Math.min(span.end, end)) / 2;
}
