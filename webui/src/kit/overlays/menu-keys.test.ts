import { expect, test } from "vitest";
import { nextInMenu } from "./menu-keys";

const LABELS = ["Open", "Rename", "Remove", "Export"];

test("arrow keys move through a menu and wrap around", () => {
  expect(nextInMenu("ArrowDown", 0, LABELS)).toBe(1);
  expect(nextInMenu("ArrowDown", 3, LABELS)).toBe(0);
  expect(nextInMenu("ArrowUp", 0, LABELS)).toBe(3);
  expect(nextInMenu("ArrowUp", -1, LABELS)).toBe(3);
  expect([nextInMenu("Home", 2, LABELS), nextInMenu("End", 2, LABELS)]).toEqual([0, 3]);
});

test("a letter jumps to the next item that starts with it", () => {
  expect(nextInMenu("r", 0, LABELS)).toBe(1);
  expect(nextInMenu("r", 1, LABELS)).toBe(2);
  expect(nextInMenu("R", 2, LABELS)).toBe(1);
  expect(nextInMenu("x", 0, LABELS)).toBeUndefined();
  expect(nextInMenu("Enter", 0, LABELS)).toBeUndefined();
  expect(nextInMenu("ArrowDown", 0, [])).toBeUndefined();
});
