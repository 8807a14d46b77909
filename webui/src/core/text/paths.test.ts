import { expect, test } from "vitest";
import { parsePath, pathLabel, pathText } from "./paths";

test.each([[["Work", "Code"]], [["Audio/Video", "Films"]], [["Work"]]])(
  "%j is written and read back",
  (path) => {
    expect(parsePath(pathText(path))).toEqual(path);
  },
);

test("uncategorised has a name too", () => {
  expect([pathLabel(null), pathLabel([]), pathLabel(["Uncategorized"]), pathLabel(["Work", "Code"])]).toEqual(
    ["Uncategorised", "Uncategorised", "Uncategorised", "Work › Code"],
  );
});
