import { expect, it } from "vitest";
import { categoryFilter, keyLabel, treeRows, type Branch } from "./tree";

const tree: Branch[] = [
  { key: ["Media"], seconds: 100, own: 30, share: 0.5, prev: 60, prev_own: 20 },
  { key: ["Media", "Music"], seconds: 70, own: 70, share: 0.35 },
  { key: ["Work"], seconds: 50, own: 50, share: 0.25 },
];
const shown = (level: "top" | "all", isOpen = false) =>
  treeRows(tree, level, () => isOpen).map(({ label, seconds, indent }) => [label, seconds, indent]);

it("a parent has the time of everything below it, and opens to its children and itself", () => {
  expect(shown("top")).toEqual([
    ["Media", 100, 0],
    ["Work", 50, 0],
  ]);
  expect(shown("top", true)).toEqual([
    ["Media", 100, 0],
    ["Music", 70, 1],
    ["Media itself", 30, 1],
    ["Work", 50, 0],
  ]);
});

it("all categories by themselves add up, and a parent's own time has another name than its total", () => {
  expect(shown("all")).toEqual([
    ["Media › Music", 70, 0],
    ["Work", 50, 0],
    ["Media itself", 30, 0],
  ]);
  expect(treeRows(tree, "all", () => false)[2]).toMatchObject({ prev: 20, share: 0.15, isItself: true });
});

it("a click filters by a category and everything below it, or that one alone", () => {
  expect(categoryFilter(["Media"])).toEqual({ field: "category", operator: "under", value: "Media" });
  expect(categoryFilter(["Media"], true).operator).toBe("is");
  expect(categoryFilter(["Uncategorized"]).operator).toBe("is");
});

it("a key of a chart is named by what it counts", () => {
  expect(keyLabel(["Media"], [["Media"]])).toBe("Media itself");
  expect(keyLabel(["Media", "Music"], [["Media"]])).toBe("Media › Music");
});
