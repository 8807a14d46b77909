// Which labels of an axis are written: none overlaps another, and none is cut at the edge.
import type { Tick } from "../lib/time/ticks";
import { placeOf, type Viewport } from "./viewport";

const LETTER = 7;
const SPACE = 12;

/** The same ticks, without labels that do not fit. Larger units, such as a day among hours, come first. */
export function readableTicks(ticks: readonly Tick[], viewport: Viewport, width: number): Tick[] {
  const taken: { from: number; to: number }[] = [];
  const written = new Set<Tick>();
  for (const tick of [...ticks].sort((one, other) => Number(other.isMajor) - Number(one.isMajor))) {
    const from = placeOf(tick.time, viewport, width);
    const to = from + SPACE + LETTER * tick.label.length;
    if (to > width || taken.some((other) => from < other.to && to > other.from)) continue;
    taken.push({ from, to });
    written.add(tick);
  }
  return ticks.map((tick) => (written.has(tick) ? tick : { ...tick, label: "" }));
}
