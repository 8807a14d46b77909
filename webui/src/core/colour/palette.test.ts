import { expect, test } from "vitest";
import { ancestorColour, categoryColours, draftColour, pathKey, PALETTE } from "./palette";

const SERVED = {
  categories: [{ name: ["Work"] }, { name: ["Work", "Code"] }],
  colors: [
    { light: "#111111", dark: "#eeeeee", terminal: "#777777" },
    { light: "#222222", dark: "#dddddd", terminal: "#888888" },
  ],
};

test("categories have the colours of the server, in the theme", () => {
  expect(categoryColours(SERVED, "light").get(pathKey(["Work"]))).toBe("#111111");
  expect(categoryColours(SERVED, "dark").get(pathKey(["Work", "Code"]))).toBe("#dddddd");
});

test("a path below a known category inherits its colour", () => {
  const colours = categoryColours(SERVED, "dark");
  expect(ancestorColour(["Work", "Code", "Deep"], colours)).toBe("#dddddd");
  expect(ancestorColour(["Other"], colours)).toBeUndefined();
});

test("a colour that is not saved yet is shown as it was chosen", () => {
  expect(draftColour("violet", "light")).toBe(PALETTE.light[5]);
  expect(draftColour("#ffff66", "light")).toBe("#ffff66");
  expect(draftColour(null, "light")).toBeUndefined();
});
