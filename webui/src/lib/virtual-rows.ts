export interface Seen {
  readonly count: number;
  /** Of one row. */
  readonly height: number;
  /** How far the list's beginning is above the upper edge of the window; negative while it is below. */
  readonly top: number;
  /** The height of the window. */
  readonly seen: number;
  /** Rows that are made beyond the edges, so that nothing is missing while somebody scrolls. */
  readonly beyond: number;
}

/** Which rows have to be there: from the first, up to the one before the last. */
export function visibleRows({ count, height, top, seen, beyond }: Seen): { start: number; end: number } {
  const start = Math.floor(Math.max(0, top) / height) - beyond;
  const end = Math.ceil(Math.max(0, top + seen) / height) + beyond;
  return { start: Math.max(0, Math.min(start, count)), end: Math.max(0, Math.min(end, count)) };
}
