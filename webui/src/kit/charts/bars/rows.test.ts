import { expect, it } from "vitest";
import { barRows, categoryRows, filterOf, isFiltered, searchOf, withoutFilters } from "./rows";

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
  expect(withoutFilters("app", app, [])).toEqual([{ field: "app", operator: "not", value: "Code" }]);
});

it("a category filters with everything below it, and is left out with everything below it", () => {
  const tree = [
    { key: ["Media"], seconds: 3, own: 1, share: 1 },
    { key: ["Media", "Music"], seconds: 2, own: 2, share: 0.5 },
  ];
  const [media, , itself] = categoryRows(tree, "top", () => true);
  if (!media || !itself) throw new Error("no rows");
  expect(filterOf("category", media)).toEqual({ field: "category", operator: "under", value: "Media" });
  expect(filterOf("category", itself)).toEqual({ field: "category", operator: "is", value: "Media" });
  expect(withoutFilters("category", media, tree).map(({ value }) => value)).toEqual(["Media", "Media/Music"]);
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
