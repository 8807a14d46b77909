// Which colors mean what, of those that are on the screen.
import { visible, type Strip } from "./draw";
import type { Viewport } from "../viewport/viewport";

/** The numbers of the paints with most time on the screen, those first. */
export function legendOf(strips: readonly Strip[], viewport: Viewport, most: number): number[] {
  const times = new Map<number, number>();
  for (const strip of strips) {
    const [from, to] = visible(strip, viewport);
    for (let place = from; place < to; place += 1) {
      const start = Math.max(viewport.start, strip.spans.start[place] ?? 0);
      const end = Math.min(viewport.end, strip.spans.end[place] ?? 0);
      const length = Math.max(0, end - start);
      const add = (number: number, time: number) => times.set(number, (times.get(number) ?? 0) + time);
      const column = strip.columns?.[place];
      if (column) for (const { paint, share } of column) add(paint, length * share);
      else add(strip.paint[place] ?? 0, length * (strip.spans.cover[place] ?? 1));
    }
  }
  return [...times]
    .sort(([, one], [, other]) => other - one)
    .slice(0, most)
    .map(([number]) => number);
}
