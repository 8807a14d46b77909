import { describe, expect, it } from "vitest";
import { differences, merge } from "./merge";
import { newCategory, parseCondition, type Category, type Condition } from "../rules/rules";

const is = (value: string) => parseCondition(`app:is:${value}`) as Condition;
let next = 0;
const category = (path: string, rest: Partial<Category> = {}): Category => ({
  ...newCategory(path.split("/")),
  id: next++,
  ...rest,
});
const work = category("Work", { conditions: [is("Code")] });
const media = category("Media");
const base = [work, media];
const names = (list: readonly Category[]) => list.map(({ name }) => name.join("/"));

describe("two versions", () => {
  it("list what was added, removed and changed", () => {
    const after = [
      { ...work, name: ["Job"], color: "blue", conditions: [is("Vim")] },
      category("New", { conditions: [is("X")] }),
    ];
    expect(differences(base, after)).toEqual([
      { kind: "removed", path: ["Media"], details: [] },
      {
        kind: "changed",
        path: ["Job"],
        details: ["was called Work", "+ app is Vim", "− app is Code", "color automatic → blue"],
      },
      { kind: "added", path: ["New"], details: ["app is X"] },
    ]);
  });
  it("that differ only in order say so, and equal ones have no differences", () => {
    expect(differences(base, [media, work])).toEqual([
      { kind: "moved", path: [], details: ["different order"] },
    ]);
    expect(differences(base, [...base])).toEqual([]);
  });
});

describe("a merge", () => {
  it("keeps both sides' changes to different things, and to conditions of the same category", () => {
    const mine = [{ ...work, conditions: [is("Code"), is("Vim")] }, media, { ...category("Mine"), id: null }];
    const theirs = [
      { ...work, color: "rose", conditions: [is("Code"), is("Emacs")] },
      media,
      category("Theirs"),
    ];
    const merged = merge(base, mine, theirs);
    expect(merged.conflicts).toEqual([]);
    expect(merged.list[0]).toMatchObject({ color: "rose", conditions: [is("Code"), is("Vim"), is("Emacs")] });
    expect(names(merged.list)).toEqual(["Work", "Media", "Theirs", "Mine"]);
  });
  it("reports what both sides changed, and takes mine", () => {
    const merged = merge(base, [{ ...work, color: "blue" }, media], [{ ...work, color: "rose" }, media]);
    expect(merged.list[0]?.color).toBe("blue");
    expect(merged.conflicts).toEqual([{ path: ["Work"], what: "the color" }]);
  });
  it("removes what one side removed, unless the other changed it", () => {
    expect(names(merge(base, [work], base).list)).toEqual(["Work"]);
    expect(names(merge(base, base, [media]).list)).toEqual(["Media"]);
    const merged = merge(base, [{ ...work, color: "blue" }, media], [media]);
    expect(names(merged.list)).toEqual(["Work", "Media"]);
    expect(merged.conflicts).toHaveLength(1);
  });
  it("combines the conditions of a category that both sides added", () => {
    const mine = { ...newCategory(["N"]), conditions: [is("A")] };
    const theirs = category("N", { conditions: [is("B")], color: "teal" });
    const merged = merge(base, [...base, mine], [...base, theirs]);
    expect(merged.list[2]).toMatchObject({ id: theirs.id, color: "teal", conditions: [is("A"), is("B")] });
    expect(merged.conflicts).toEqual([]);
  });
});
