import { expect, test } from "vitest";
import { rowsInView } from "./rows-in-view";

test.each([
  [
    { count: 10_000, height: 36, top: 0, room: 360 },
    { start: 0, end: 22 },
  ],
  [
    { count: 10_000, height: 36, top: 36_000, room: 360 },
    { start: 988, end: 1022 },
  ],
  [
    { count: 10_000, height: 36, top: 359_640, room: 360 },
    { start: 9978, end: 10_000 },
  ],
  [
    { count: 5, height: 36, top: 0, room: 360 },
    { start: 0, end: 5 },
  ],
  [
    { count: 0, height: 36, top: 0, room: 360 },
    { start: 0, end: 0 },
  ],
  // A list that has become shorter than it was scrolled.
  [
    { count: 5, height: 36, top: 36_000, room: 360 },
    { start: 5, end: 5 },
  ],
])("case %#: the rows in view and some around them are drawn", (scrolled, rows) => {
  expect(rowsInView(scrolled)).toEqual(rows);
});
