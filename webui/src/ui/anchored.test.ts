import { expect, test } from "vitest";
import { placeBeside } from "./anchored";

const SCREEN = { width: 400, height: 600 };
const ANCHOR = { left: 100, top: 100, width: 50, height: 20 };

test("a small window stands below its button, in line with its start, middle or end", () => {
  const size = { width: 120, height: 100 };
  expect(placeBeside(ANCHOR, size, SCREEN, "start")).toEqual({ left: 100, top: 124 });
  expect(placeBeside(ANCHOR, size, SCREEN, "center")).toEqual({ left: 65, top: 124 });
  expect(placeBeside(ANCHOR, size, SCREEN, "end")).toEqual({ left: 30, top: 124 });
});

test("it stays on the screen, sideways", () => {
  expect(placeBeside({ ...ANCHOR, left: 380 }, { width: 120, height: 50 }, SCREEN, "start").left).toBe(272);
  expect(placeBeside({ ...ANCHOR, left: 2 }, { width: 120, height: 50 }, SCREEN, "end").left).toBe(8);
});

test("where there is no room below it stands above, and where there is none at all it covers the button", () => {
  expect(placeBeside({ ...ANCHOR, top: 560 }, { width: 120, height: 100 }, SCREEN, "start").top).toBe(456);
  expect(placeBeside(ANCHOR, { width: 120, height: 590 }, SCREEN, "start").top).toBe(8);
});
