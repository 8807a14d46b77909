import { expect, it } from "vitest";
import { cellFilters } from "./links";

const under = { field: "category", operator: "under", value: "Work" } as const;
const not = { field: "category", operator: "not", value: "Work/Code" } as const;
const app = { field: "app", operator: "is", value: "Code" } as const;

it("a cell filters by its key, within the current filters", () => {
  expect(cellFilters([under, not, app], "category", "Work/Docs")).toEqual([
    not,
    app,
    { field: "category", operator: "is", value: "Work/Docs" },
  ]);
});

it("a label, and time without a key, keep the current filters", () => {
  expect(cellFilters([under], "label", "Standup")).toEqual([under]);
  expect(cellFilters([under], "category", undefined)).toEqual([under]);
});
