import { expect, test } from "vitest";
import { ancestorColor, categoryColors, draftColor, pathKey, PALETTE } from "./palette";

const SERVED = {
  categories: [{ name: ["Work"] }, { name: ["Work", "Code"] }],
  colors: [
    { light: "#111111", dark: "#eeeeee", terminal: "#777777" },
    { light: "#222222", dark: "#dddddd", terminal: "#888888" },
  ],
};

test("categories have the colors of the server, in the theme", () => {
  expect(categoryColors(SERVED, "light").get(pathKey(["Work"]))).toBe("#111111");
  expect(categoryColors(SERVED, "dark").get(pathKey(["Work", "Code"]))).toBe("#dddddd");
});

test("a path below a known category inherits its color", () => {
  const colors = categoryColors(SERVED, "dark");
  expect(ancestorColor(["Work", "Code", "Deep"], colors)).toBe("#dddddd");
  expect(ancestorColor(["Other"], colors)).toBeUndefined();
});

test("a color that is not saved yet is shown as it was chosen", () => {
  expect(draftColor("violet", "light")).toBe(PALETTE.light[5]);
  expect(draftColor("#ffff66", "light")).toBe("#ffff66");
  expect(draftColor(null, "light")).toBeUndefined();
});
