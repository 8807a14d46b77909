import { expect, it } from "vitest";
import { visibleRows } from "./virtual-rows";

const rows = (top: number, count = 1000) => visibleRows({ count, height: 50, top, seen: 500, beyond: 2 });

it("only rows in sight, and a few beyond, are made", () => {
  expect(rows(0)).toEqual({ start: 0, end: 12 });
  expect(rows(-300)).toEqual({ start: 0, end: 6 });
  expect(rows(1000)).toEqual({ start: 18, end: 32 });
  expect(rows(49_900)).toEqual({ start: 996, end: 1000 });
  expect(rows(90_000)).toEqual({ start: 1000, end: 1000 });
  expect(rows(0, 3)).toEqual({ start: 0, end: 3 });
});
