import { expect, test } from "vitest";
import { parseHash } from "../../core/url/route";
import { hasDates, isSameView, savedViewsOf, viewHash, withView } from "./model";

const view = (name: string, hash = "#/today") => ({ name, hash });

test("a view keeps the page, the range and the filters, and not what is open on the page", () => {
  const route = parseHash("#/timeline?period=week&select=a~b&filter=app%3Ais%3ACode&event=1%40x");
  expect(viewHash(route)).toBe("#/timeline?filter=app%3Ais%3ACode&period=week");
});

test("the order of parameters does not matter", () => {
  const saved = view("Code", "#/today?period=week&device=a&device=b");
  expect(isSameView(saved, parseHash("#/today?device=a&device=b&period=week"))).toBe(true);
  expect(isSameView(saved, parseHash("#/trends?device=a&device=b&period=week"))).toBe(false);
});

test("the first page has a name of its own", () => expect(viewHash(parseHash(""))).toBe("#/today"));

test("a view without dates shows the current period", () => {
  expect(hasDates(parseHash("#/today?period=week"))).toBe(false);
  expect(hasDates(parseHash("#/today?period=week&date=2026-03-05"))).toBe(true);
});

test("a saved view replaces one of the same name, and a renamed one keeps its place", () => {
  const list = [view("A"), view("B"), view("C")];
  expect(withView(list, view("B", "#/trends"), undefined).map(({ name }) => name)).toEqual(["A", "C", "B"]);
  expect(withView(list, view("X"), view("B")).map(({ name }) => name)).toEqual(["A", "X", "C"]);
  expect(withView(list, view("C"), view("A")).map(({ name }) => name)).toEqual(["C", "B"]);
});

test("links to elsewhere are left out", () => {
  expect(savedViewsOf([view("A"), view("B", "javascript:alert(1)"), null, { name: "C" }])).toEqual([
    view("A"),
  ]);
  expect(savedViewsOf({ name: "A" })).toEqual([]);
});
