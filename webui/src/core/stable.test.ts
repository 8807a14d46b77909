import { expect, test } from "vitest";
import { isEqual } from "./stable.svelte";

test.each([
  [1, 1, true],
  [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, true],
  [{ a: 1 }, { a: 2 }, false],
  [{ a: undefined }, { b: undefined }, false],
  [[1], [1, 2], false],
  [[], {}, false],
  [null, {}, false],
  [undefined, undefined, true],
])("%j and %j: %s", (one, other, expected) => {
  expect(isEqual(one, other)).toBe(expected);
  expect(isEqual(other, one)).toBe(expected);
});
