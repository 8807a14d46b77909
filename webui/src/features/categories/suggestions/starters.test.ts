import { expect, it } from "vitest";
import type { Category } from "../rules/rules";
import { coveredShare, withSet } from "./starters";

it("the time that a starter set covers is what has a category afterwards", () => {
  const share = coveredShare([
    { category: ["Work", "Code"], before: 10, after: 40 },
    { category: ["Work", "Docs"], before: 0, after: 20 },
    { category: ["Media"], before: 0, after: 11 },
    { category: ["Uncategorized"], before: 90, after: 29 },
  ]);
  expect(share).toMatchObject({ total: 100, before: 10, after: 71 });
  expect(share.top).toEqual([
    { path: ["Work"], before: 10, after: 60 },
    { path: ["Media"], before: 0, after: 11 },
  ]);
});

it("a set replaces no category that there is", () => {
  const category = (name: string, id: number | null) => ({ name: [name], id }) as unknown as Category;
  expect(withSet([category("Work", 1)], [category("Work", 7), category("Media", 8)])).toEqual([
    category("Work", 1),
    category("Media", null),
  ]);
});
