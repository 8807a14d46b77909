// Stacked bars.

export type StackMode = "stack" | "share";
/** The index for everything that is not among the largest keys. */
export const OTHER = -1;

export interface Segment {
  /** Index of its key, or OTHER. */
  readonly key: number;
  readonly seconds: number;
  /** Share of its bar, from 0 to 1. */
  readonly share: number;
  /** Start and end from the bottom of the bar: seconds, or shares. */
  readonly from: number;
  readonly to: number;
}

interface Values {
  /** The seconds of each bin, per key. */
  readonly values: readonly (readonly number[])[];
  readonly other: readonly number[];
}

/** The parts of every bar from the bottom up, the largest key first; empty parts are left out. */
export function stackBars({ values, other }: Values, mode: StackMode): Segment[][] {
  return other.map((rest, bin) => {
    const parts = [...values.map((row, key) => [key, row[bin] ?? 0] as const), [OTHER, rest] as const];
    const sum = parts.reduce((total, [, seconds]) => total + seconds, 0);
    let foot = 0;
    return parts.flatMap(([key, seconds]) => {
      if (seconds <= 0) return [];
      const height = mode === "share" ? seconds / sum : seconds;
      const segment = { key, seconds, share: seconds / sum, from: foot, to: foot + height };
      foot += height;
      return [segment];
    });
  });
}

/** The height of the tallest bar. */
export function tallest(bars: readonly (readonly Segment[])[], others: readonly number[] = []): number {
  return Math.max(0, ...bars.map((bar) => bar.at(-1)?.to ?? 0), ...others);
}
