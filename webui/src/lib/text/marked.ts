// A text cut where something in it is marked. Places count characters, as the server does, and not the halves of UTF-16.

export interface Piece {
  readonly text: string;
  readonly isMarked: boolean;
}

/** Before, within and after the mark; pieces without text are left out, and a long text is cut around the mark. */
export function marked(text: string, start: number, end: number, around = 60): Piece[] {
  const characters = [...text];
  const from = start - around > 0 ? start - around : 0;
  const to = end + around < characters.length ? end + around : characters.length;
  const pieces: Piece[] = [
    { text: (from > 0 ? "…" : "") + characters.slice(from, start).join(""), isMarked: false },
    { text: characters.slice(start, end).join(""), isMarked: true },
    { text: characters.slice(end, to).join("") + (to < characters.length ? "…" : ""), isMarked: false },
  ];
  return pieces.filter((piece) => piece.text !== "");
}
