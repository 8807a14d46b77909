import { expect, test } from "vitest";
import { rowsInView } from "./rows-in-view";

test.each([
  [
    { count: 10_000, height: 36, top: 0, viewHeight: 360 },
    { start: 0, end: 22 },
  ],
  [
    { count: 10_000, height: 36, top: 36_000, viewHeight: 360 },
    { start: 988, end: 1022 },
  ],
  [
    { count: 10_000, height: 36, top: 359_640, viewHeight: 360 },
    { start: 9978, end: 10_000 },
  ],
  [
    { count: 5, height: 36, top: 0, viewHeight: 360 },
    { start: 0, end: 5 },
  ],
  [
    { count: 0, height: 36, top: 0, viewHeight: 360 },
    { start: 0, end: 0 },
  ],
  // A list that became shorter than its scroll position.
  [
    { count: 5, height: 36, top: 36_000, viewHeight: 360 },
    { start: 5, end: 5 },
  ],
])("case %#: the visible rows and some around them are drawn", (scrolled, rows) => {
  expect(rowsInView(scrolled)).toEqual(rows);
});

const rows = (top: number, count = 1000) =>
  rowsInView({ count, height: 50, top, viewHeight: 500, around: 2 });

test("only visible rows, and a few beyond, are rendered", () => {
  expect(rows(0)).toEqual({ start: 0, end: 12 });
  expect(rows(-300)).toEqual({ start: 0, end: 6 });
  expect(rows(1000)).toEqual({ start: 18, end: 32 });
  expect(rows(49_900)).toEqual({ start: 996, end: 1000 });
  expect(rows(90_000)).toEqual({ start: 1000, end: 1000 });
  expect(rows(0, 3)).toEqual({ start: 0, end: 3 });
});
