import { describe, expect, it } from "vitest";
import { changed, moved, NEW_PROJECT, prepared, rulesText } from "./model";

const named = (name: string) => ({ ...NEW_PROJECT, name });
const names = (list: readonly { name: string }[]) => list.map(({ name }) => name).join("");

describe("projects", () => {
  it("are added at the end, replaced, removed and moved", () => {
    const list = [named("a"), named("b"), named("c")];
    expect(names(changed(list, undefined, named("d")))).toBe("abcd");
    expect(names(changed(list, 1, named("x")))).toBe("axc");
    expect(names(changed(list, 1, undefined))).toBe("ac");
    expect(names(moved(list, 1, -1))).toBe("bac");
    expect(names(moved(list, 1, 1))).toBe("acb");
    expect(names(moved(list, 0, -1))).toBe("abc");
    expect(names(list)).toBe("abc");
  });

  it("have their rules as text, and are sent without empty conditions", () => {
    const condition = { field: "title", op: "has", value: "ACME", ignore_case: true } as const;
    const project = {
      ...named(" ACME "),
      categories: [["Work", "ACME"]],
      conditions: [condition, { ...condition, value: "" }],
    };
    expect(rulesText(prepared(project))).toBe("Work › ACME, title has ACME");
    expect(prepared(project)).toMatchObject({ name: "ACME", conditions: [condition] });
    expect(rulesText(named("x"))).toBe("Only what editors record under this name");
  });
});
