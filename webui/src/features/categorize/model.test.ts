import { expect, test } from "vitest";
import { newCategory, type Category, type Condition } from "../categories/rules/rules";
import { choicesOf } from "./choices";
import { assign, optionsFor, raise } from "./model";

const app = (value: string): Condition => ({ field: "app", op: "is", value, ignore_case: true });
const category = (name: string[], ...conditions: Condition[]): Category => ({
  ...newCategory(name),
  conditions,
});

test("a condition moves from the category that had it", () => {
  const list = [category(["Web"], app("Firefox"), app("Chrome")), category(["Work"])];
  expect(assign(list, [app("Firefox")], ["Work"])).toEqual([
    category(["Web"], app("Chrome")),
    category(["Work"], app("Firefox")),
  ]);
});

test("a condition that the category has already is not added again", () => {
  const list = [category(["Work"], app("Code"))];
  expect(assign(list, [app("Code")], ["Work"])).toEqual(list);
});

test("a new category comes last, so that it wins over equal ones", () => {
  const list = assign([category(["Work"])], [app("Code"), app("Vim")], ["Play"]);
  expect(list).toEqual([category(["Work"]), category(["Play"], app("Code"), app("Vim"))]);
});

test("a raised category has a higher priority than the other", () => {
  const list = [category(["Work", "Code"]), category(["Play"])];
  expect(raise(list, ["Play"], ["Work", "Code"])[1]?.priority).toBe(21);
});

test("of a time, the domain is a better choice than the app, and the title is the last", () => {
  const data = {
    window: { app: "Firefox", title: "Docs" },
    tab: { url: "https://docs.example.org/a", title: "Docs" },
  };
  expect(choicesOf(data).map(({ condition }) => `${condition.field} ${condition.value}`)).toEqual([
    "domain docs.example.org",
    "app Firefox",
    "title Docs",
  ]);
});

test("typed text finds categories, and names a new one unless there is one of that name", () => {
  const paths = [["Work"], ["Work", "Code"], ["Media"]];
  const texts = (typed: string) =>
    optionsFor(paths, typed).map(({ path, isNew }) => `${path.join("/")}${isNew ? " (new)" : ""}`);
  expect(texts("")).toEqual(["Work", "Work/Code", "Media"]);
  expect(texts("cod")).toEqual(["Work/Code", "cod (new)"]);
  expect(texts("work / code")).toEqual(["Work/Code"]);
  expect(texts("Work/Mail")).toEqual(["Work/Mail (new)"]);
});
