interface Scrolled {
  readonly count: number;
  /** The height of a row; all are alike. */
  readonly height: number;
  /** How far it is scrolled, below 0 while its beginning is further down, and how much can be seen at once. */
  readonly top: number;
  readonly room: number;
  /** Rows before and after those in view, so that a quick scroll finds them there. */
  readonly around?: number;
}

/** The rows to draw: from `start` to before `end`. */
export function rowsInView({ count, height, top, room, around = 12 }: Scrolled): {
  start: number;
  end: number;
} {
  const first = Math.floor(Math.max(0, top) / height) - around;
  const last = Math.ceil(Math.max(0, top + room) / height) + around;
  const end = Math.min(count, Math.max(0, last));
  return { start: Math.min(end, Math.max(0, first)), end };
}
