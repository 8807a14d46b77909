import { expect, test } from "vitest";
import { parsePath, pathLabel, pathText } from "./paths";

test.each([[["Work", "Code"]], [["Audio/Video", "Films"]], [["Work"]]])(
  "%j is written and read back",
  (path) => {
    expect(parsePath(pathText(path))).toEqual(path);
  },
);

test("uncategorized has a name too", () => {
  expect([pathLabel(null), pathLabel([]), pathLabel(["Uncategorized"]), pathLabel(["Work", "Code"])]).toEqual(
    ["Uncategorized", "Uncategorized", "Uncategorized", "Work › Code"],
  );
});
