import { expect, it } from "vitest";
import { neighbor } from "./walk";

// Thursday to the Tuesday after, with a column a week.
const CELLS = [
  { row: 3, column: 0 },
  { row: 4, column: 0 },
  { row: 5, column: 0 },
  { row: 6, column: 0 },
  { row: 0, column: 1 },
  { row: 1, column: 1 },
];

it.each([
  [0, "ArrowDown", 1],
  [3, "ArrowDown", 4],
  [4, "ArrowUp", 3],
  [5, "ArrowLeft", undefined],
  [0, "ArrowUp", undefined],
  [5, "ArrowDown", undefined],
  [2, "Home", 0],
  [2, "End", 5],
  [2, "a", undefined],
])("from cell %d the key %s leads to %s", (from, key, to) => {
  expect(neighbor(CELLS, from, key)).toBe(to);
});
