import { expect, it } from "vitest";
import { cellFilters, keyFilter } from "./links";

const under = { field: "category", operator: "under", value: "Work" } as const;
const not = { field: "category", operator: "not", value: "Work/Code" } as const;
const app = { field: "app", operator: "is", value: "Code" } as const;
const columns = [{ key: ["Work"] }, { key: ["Work", "Docs"] }, { key: null }];

it("a cell filters by its key, within the current filters", () => {
  const docs = keyFilter({ by: "category", columns }, ["Work", "Docs"]);
  expect(docs).toEqual({ field: "category", operator: "under", value: "Work/Docs" });
  expect(cellFilters([under, not, app], docs)).toEqual([not, app, docs]);
});

it("the column of a category next to one below it counts only the category itself", () => {
  expect(keyFilter({ by: "category", columns }, ["Work"])?.operator).toBe("is");
  expect(keyFilter({ by: "category", columns: [{ key: ["Work"] }] }, ["Work"])?.operator).toBe("under");
});

it("the cell of a parent does not widen a filter for a part of it", () => {
  const work = keyFilter({ by: "category", columns: [{ key: ["Work"] }] }, ["Work"]);
  const code = { field: "category", operator: "is", value: "Work/Code" } as const;
  const media = { field: "category", operator: "is", value: "Media" } as const;
  expect(cellFilters([code, media, not], work)).toEqual([not, code]);
});

it("a label, and time without a key, keep the current filters", () => {
  expect(keyFilter({ by: "label", columns: [] }, "Standup")).toBeUndefined();
  expect(cellFilters([under], undefined)).toEqual([under]);
});
