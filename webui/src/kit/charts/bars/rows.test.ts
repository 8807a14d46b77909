import { expect, it } from "vitest";
import { barRows, filterOf, isFiltered, searchOf } from "./rows";

const [code, none] = barRows("category", [
  { key: ["Work", "Code"], seconds: 60, share: 0.5, prev: 30 },
  { key: ["Uncategorized"], seconds: 30, share: 0.25 },
]);
const [app, nameless] = barRows("app", [
  { key: "Code", seconds: 60, share: 0.5, category: ["Work"] },
  { key: "", seconds: 1, share: 0 },
]);

it("category rows are named by their path and belong to that category", () => {
  expect(code).toMatchObject({
    key: "Work/Code",
    label: "Work › Code",
    category: ["Work", "Code"],
    prev: 30,
  });
  expect(none?.label).toBe("Uncategorized");
  expect(app?.category).toEqual(["Work"]);
  expect(nameless?.label).toBe("(empty)");
});

it("a row maps to a filter, which may be active", () => {
  if (!code || !app) throw new Error("no rows");
  expect(filterOf("category", code)).toEqual({ field: "category", operator: "is", value: "Work/Code" });
  expect(isFiltered([filterOf("app", app)], filterOf("app", app))).toBe(true);
  expect(isFiltered([filterOf("app", app, "not")], filterOf("app", app))).toBe(false);
});

it("titles are private, apps are not", () => {
  expect(barRows("title", [{ key: "x", seconds: 1, share: 1 }])[0]?.isPrivate).toBe(true);
  expect(app?.isPrivate).toBe(false);
});

it("a search for a row names its field, if search supports it", () => {
  if (!app) throw new Error("no row");
  expect(searchOf("app", app)).toBe('app:"Code"');
  expect(searchOf("title", { ...app, key: 'a "b" c' })).toBe('title:"a  b  c"');
  expect(searchOf("project", app)).toBe('"Code"');
});
