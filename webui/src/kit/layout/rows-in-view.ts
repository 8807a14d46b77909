interface Scrolled {
  readonly count: number;
  /** Height of every row. */
  readonly height: number;
  /** Scroll offset (negative while the list starts further down), and the height of the viewport. */
  readonly top: number;
  readonly viewHeight: number;
  /** Rows before and after the visible ones, for fast scrolling. */
  readonly around?: number;
}

/** The rows to draw: from `start` to before `end`. */
export function rowsInView({ count, height, top, viewHeight, around = 12 }: Scrolled): {
  start: number;
  end: number;
} {
  const first = Math.floor(Math.max(0, top) / height) - around;
  const last = Math.ceil(Math.max(0, top + viewHeight) / height) + around;
  const end = Math.min(count, Math.max(0, last));
  return { start: Math.min(end, Math.max(0, first)), end };
}
