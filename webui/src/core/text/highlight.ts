// Text in pieces, some of them highlighted. Ranges count Unicode characters, as the server does, not UTF-16 units.

export interface Piece {
  readonly text: string;
  readonly isMarked: boolean;
}

export type Range = readonly number[];

/** The pieces of a text; ranges may be unordered, touch, overlap or exceed the end. */
export function pieces(text: string, ranges: readonly Range[]): Piece[] {
  const characters = [...text];
  const found: Piece[] = [];
  let place = 0;
  const take = (end: number, isMarked: boolean) => {
    if (end <= place) return;
    const piece = characters.slice(place, end).join("");
    const last = found.at(-1);
    if (last && last.isMarked === isMarked) found[found.length - 1] = { text: last.text + piece, isMarked };
    else if (piece) found.push({ text: piece, isMarked });
    place = end;
  };
  for (const [start = 0, end = 0] of [...ranges].sort((one, other) => (one[0] ?? 0) - (other[0] ?? 0))) {
    take(Math.min(start, characters.length), false);
    take(Math.min(end, characters.length), true);
  }
  take(characters.length, false);
  return found;
}

/** The pieces with little text before the first highlight, so that it is visible if the end is truncated. */
export function aroundMark(all: readonly Piece[], before = 24): Piece[] {
  const [first, ...rest] = all;
  if (!first || first.isMarked || rest.length === 0) return [...all];
  const characters = [...first.text];
  if (characters.length <= before * 2) return [...all];
  return [{ text: `…${characters.slice(-before).join("")}`, isMarked: false }, ...rest];
}

/** Before, within and after the highlight; empty pieces are left out, and a long text is cut around the highlight. */
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
