interface Scrolled {
  readonly count: number;
  /** The height of a row; all are alike. */
  readonly height: number;
  /** How far it is scrolled, and how much can be seen at once. */
  readonly top: number;
  readonly room: number;
}

/** Rows before and after those in view, so that a quick scroll finds them there. */
const AROUND = 12;

/** The rows to draw: from `start` to before `end`. */
export function rowsInView({ count, height, top, room }: Scrolled): { start: number; end: number } {
  const first = Math.floor(top / height) - AROUND;
  const last = Math.ceil((top + room) / height) + AROUND;
  const end = Math.min(count, Math.max(0, last));
  return { start: Math.min(end, Math.max(0, first)), end };
}
