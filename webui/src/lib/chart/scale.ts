// From values to positions.

/** A function from one range of numbers to another; descending if `to` is. */
export function linear(from: readonly [number, number], to: readonly [number, number]) {
  const width = from[1] - from[0] || 1;
  return (value: number): number => to[0] + ((value - from[0]) / width) * (to[1] - to[0]);
}

export interface Bands {
  /** The start of a bar. */
  at(slot: number): number;
  /** The middle of a bar, where its label is. */
  middle(slot: number): number;
  readonly width: number;
}

/** Bars side by side in some space; `gap` is a share of each one's slot. */
export function bands(count: number, space: number, gap = 0.25, widest = 48): Bands {
  const slot = space / Math.max(1, count);
  const width = Math.max(1, Math.min(widest, slot * (1 - gap)));
  const at = (each: number) => each * slot + (slot - width) / 2;
  return { at, middle: (each) => each * slot + slot / 2, width };
}
