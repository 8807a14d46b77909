// Which span is where, and which one comes next.
import type { Spans } from "./model";

/** The first place whose start is not before a time. */
function firstFrom(spans: Spans, time: number): number {
  let [low, high] = [0, spans.size];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans.start[middle] ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The span at a time, or the nearest one that is no further than `reach`; -1 where there is none. */
export function hit(spans: Spans, time: number, reach: number): number {
  let best = -1;
  let nearest = Infinity;
  const last = firstFrom(spans, time + reach);
  // What begins later is drawn over what began before. Long ones may have begun far back.
  for (let place = last < spans.size ? last : spans.size - 1; place >= 0; place -= 1) {
    const [start, end] = [spans.start[place] ?? 0, spans.end[place] ?? 0];
    const away = time < start ? start - time : time > end ? time - end : 0;
    if (away === 0 && time >= start) return place;
    if (away < nearest && away <= reach) [best, nearest] = [place, away];
    if (last - place > 2000) break;
  }
  return best;
}

/** The place of a span by its event, else by where it begins; -1 where it is not there. */
export function placeOfSpan(spans: Spans, id: number, start: number): number {
  if (id !== 0) {
    for (let place = 0; place < spans.size; place += 1) if (spans.id[place] === id) return place;
  }
  const place = firstFrom(spans, start);
  return place < spans.size && spans.start[place] === start ? place : -1;
}

/** The span nearest to a time: what the focus goes to in another lane. */
export function nearest(spans: Spans, time: number): number {
  if (spans.size === 0) return -1;
  const after = firstFrom(spans, time);
  const before = after - 1;
  if (before < 0) return after;
  if (after >= spans.size) return before;
  const back = Math.max(0, time - (spans.end[before] ?? 0));
  return back <= (spans.start[after] ?? 0) - time ? before : after;
}
