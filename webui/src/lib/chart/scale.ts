// From values to places.

/** A function from one range of numbers to another; the other way round where `to` falls. */
export function linear(from: readonly [number, number], to: readonly [number, number]) {
  const width = from[1] - from[0] || 1;
  return (value: number): number => to[0] + ((value - from[0]) / width) * (to[1] - to[0]);
}

export interface Bands {
  /** Where a bar begins. */
  at(place: number): number;
  /** The middle of a bar, where its label stands. */
  middle(place: number): number;
  readonly width: number;
}

/** So many bars side by side in some room, with a gap that is a share of each one's place. */
export function bands(count: number, room: number, gap = 0.25, widest = 48): Bands {
  const place = room / Math.max(1, count);
  const width = Math.max(1, Math.min(widest, place * (1 - gap)));
  const at = (each: number) => each * place + (place - width) / 2;
  return { at, middle: (each) => each * place + place / 2, width };
}
