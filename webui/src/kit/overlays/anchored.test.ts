import { expect, test } from "vitest";
import { placeBeside } from "./anchored";

const SCREEN = { width: 400, height: 600 };
const ANCHOR = { left: 100, top: 100, width: 50, height: 20 };

test("a popover opens below its button, aligned with its start, middle or end", () => {
  const size = { width: 120, height: 100 };
  expect(placeBeside(ANCHOR, size, SCREEN, "start")).toEqual({ left: 100, top: 124 });
  expect(placeBeside(ANCHOR, size, SCREEN, "center")).toEqual({ left: 65, top: 124 });
  expect(placeBeside(ANCHOR, size, SCREEN, "end")).toEqual({ left: 30, top: 124 });
});

test("it stays within the screen horizontally", () => {
  expect(placeBeside({ ...ANCHOR, left: 380 }, { width: 120, height: 50 }, SCREEN, "start").left).toBe(272);
  expect(placeBeside({ ...ANCHOR, left: 2 }, { width: 120, height: 50 }, SCREEN, "end").left).toBe(8);
});

test("it opens above if there is no space below, and covers the button if there is none at all", () => {
  expect(placeBeside({ ...ANCHOR, top: 560 }, { width: 120, height: 100 }, SCREEN, "start").top).toBe(456);
  expect(placeBeside(ANCHOR, { width: 120, height: 590 }, SCREEN, "start").top).toBe(8);
});
