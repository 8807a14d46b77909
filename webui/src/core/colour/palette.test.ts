import { expect, test } from "vitest";
import { contrast, parseHex, type Rgb } from "./contrast";
import { ancestorColour, categoryColours, pathKey, PALETTE, SURFACE, type Theme } from "./palette";

const TREE = [
  { name: ["Work"] },
  { name: ["Work", "Code"] },
  { name: ["Work", "Docs"] },
  { name: ["Media"], color: "#ffff66" },
  { name: ["Media", "Films"] },
  { name: ["Comms"], color: "violet" },
];

test.each(["light", "dark"] as Theme[])(
  "every category has a colour that can be seen in the %s theme",
  (theme) => {
    const colours = categoryColours(TREE, theme);
    expect([...colours.keys()].sort()).toEqual(TREE.map(({ name }) => pathKey(name)).sort());
    for (const colour of colours.values())
      expect(contrast(parseHex(colour) as Rgb, parseHex(SURFACE[theme]) as Rgb)).toBeGreaterThanOrEqual(2.99);
  },
);

test("top categories take the hues in order, a chosen one is kept", () => {
  const colours = categoryColours(TREE, "light");
  expect(colours.get(pathKey(["Work"]))).toBe(PALETTE.light[0]);
  expect(colours.get(pathKey(["Comms"]))).toBe(PALETTE.light[5]);
});

test("children look a little different from their parent and from each other", () => {
  const colours = categoryColours(TREE, "light");
  const family = [["Work"], ["Work", "Code"], ["Work", "Docs"]].map((path) => colours.get(pathKey(path)));
  expect(new Set(family).size).toBe(3);
});

test("a path below a known category inherits its colour", () => {
  const colours = categoryColours(TREE, "dark");
  expect(ancestorColour(["Work", "Code", "Deep"], colours)).toBe(colours.get(pathKey(["Work", "Code"])));
  expect(ancestorColour(["Other"], colours)).toBeUndefined();
});
