// Arrow keys in a chart: from one mark to the next one in that direction.

interface Placed {
  readonly row: number;
  readonly column: number;
}

/** The index of the cell that a key moves to; undefined if there is none. */
export function neighbor(cells: readonly Placed[], from: number, key: string): number | undefined {
  const cell = cells[from];
  if (!cell) return undefined;
  const at = (row: number, column: number) => {
    const found = cells.findIndex((each) => each.row === row && each.column === column);
    return found < 0 ? undefined : found;
  };
  switch (key) {
    case "ArrowLeft":
      return at(cell.row, cell.column - 1);
    case "ArrowRight":
      return at(cell.row, cell.column + 1);
    // Below the last row the next column starts: in a calendar, Sunday leads to Monday.
    case "ArrowUp":
      return at(cell.row - 1, cell.column) ?? lastOf(cells, cell.column - 1);
    case "ArrowDown":
      return at(cell.row + 1, cell.column) ?? at(0, cell.column + 1);
    case "Home":
      return 0;
    case "End":
      return cells.length - 1;
    default:
      return undefined;
  }
}

function lastOf(cells: readonly Placed[], column: number): number | undefined {
  const rows = cells.flatMap((cell, place) => (cell.column === column ? [{ row: cell.row, place }] : []));
  return rows.sort((a, b) => b.row - a.row)[0]?.place;
}
