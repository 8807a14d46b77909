import { describe, expect, it } from "vitest";
import {
  add,
  change,
  freePath,
  moveBeside,
  moveInto,
  remove,
  repath,
  step,
  treeOf,
  visibleNodes,
} from "./edit";
import { newCategory, type Category } from "../rules/rules";

const list = (...paths: string[]): Category[] => paths.map((path) => newCategory(path.split("/")));
const paths = (of: readonly Category[]) => of.map(({ name }) => name.join("/"));

describe("the tree", () => {
  it("has a node for names that are only part of other paths", () => {
    const tree = treeOf(list("Work/Code", "Media", "Work/Docs"));
    expect(tree.map(({ path, category }) => [path.join("/"), Boolean(category)])).toEqual([
      ["Work", false],
      ["Media", true],
    ]);
    expect(tree[0]?.children.map(({ path }) => path.join("/"))).toEqual(["Work/Code", "Work/Docs"]);
  });
  it("lists rows from top to bottom, without those of collapsed nodes", () => {
    const tree = treeOf(list("A", "A/B", "C"));
    expect(
      visibleNodes(tree, () => true).map((row) => [row.node.path.join("/"), row.level, row.place]),
    ).toEqual([
      ["A", 1, 1],
      ["A/B", 2, 1],
      ["C", 1, 2],
    ]);
    expect(visibleNodes(tree, () => false)).toHaveLength(2);
  });
});

describe("a change", () => {
  it("creates a category from a name that only had children", () => {
    expect(paths(change(list("X", "A/B"), ["A"], { color: "blue" }))).toEqual(["X", "A", "A/B"]);
  });
  it("adds a new category after its siblings", () => {
    expect(paths(add(list("A", "A/B", "C"), ["A", "New"]))).toEqual(["A", "A/B", "A/New", "C"]);
    expect(freePath(list("A/New", "A/New 2"), ["A"], "New")).toEqual(["A", "New 3"]);
  });
  it("renames everything below too, and refuses a name that is taken", () => {
    expect(paths(repath(list("A", "A/B", "C"), ["A"], ["D"]))).toEqual(["D", "D/B", "C"]);
    expect(paths(repath(list("A", "A/B", "C"), ["A"], ["C"]))).toEqual(["A", "A/B", "C"]);
    expect(paths(repath(list("A", "A/B"), ["A"], ["A", "B", "C"]))).toEqual(["A", "A/B"]);
  });
  it("removes everything below too", () => {
    expect(paths(remove(list("A", "A/B", "AB"), ["A"]))).toEqual(["AB"]);
  });
});

describe("a move", () => {
  it("moves everything below too, past everything below the other", () => {
    expect(paths(moveBeside(list("A", "A/B", "C", "C/D"), ["A"], ["C"], "after"))).toEqual([
      "C",
      "C/D",
      "A",
      "A/B",
    ]);
  });
  it("into another category puts it last there", () => {
    expect(paths(moveInto(list("A", "B", "B/C", "D"), ["A"], ["B"]))).toEqual(["B", "B/C", "B/A", "D"]);
    expect(paths(moveInto(list("A", "A/B"), ["A"], ["A", "B"]))).toEqual(["A", "A/B"]);
  });
  it("by one step moves up, down, in and out", () => {
    const three = list("A", "B", "C");
    expect(paths(step(three, ["B"], "up").list)).toEqual(["B", "A", "C"]);
    expect(paths(step(three, ["B"], "down").list)).toEqual(["A", "C", "B"]);
    expect(step(three, ["B"], "in")).toMatchObject({ path: ["A", "B"] });
    const out = step(list("A", "A/B", "C"), ["A", "B"], "out");
    expect([paths(out.list), out.path]).toEqual([["A", "B", "C"], ["B"]]);
    expect(paths(step(list("A/B"), ["A", "B"], "out").list)).toEqual(["A", "B"]);
    expect(step(three, ["A"], "up").list).toBe(three);
    expect(step(three, ["A"], "out").list).toBe(three);
  });
});
