import { expect, it } from "vitest";
import { dataText, fieldsOf, parseEventFilter } from "./event-text";

it("data is summarised by its most important fields", () => {
  expect(dataText({ title: "main.py", app: "Code" })).toBe("Code · main.py");
  expect(dataText({ status: "not-afk" })).toBe("not-afk");
  expect(dataText({ url: "https://a.example", title: "", audible: false })).toBe("https://a.example");
  expect(dataText({ heart_rate: 61, zone: null })).toBe("heart_rate: 61 · zone: null");
  expect(dataText({})).toBe("");
});

it("markup in a title stays text", () => {
  expect(dataText({ title: "<img src=x onerror=alert(1)>" })).toBe("<img src=x onerror=alert(1)>");
});

it("known fields come first", () => {
  expect(fieldsOf([{ data: { zeta: 1, title: "a" } }, { data: { app: "b", alpha: 2 } }])).toEqual([
    "app",
    "title",
    "alpha",
    "zeta",
  ]);
});

it("a filter has a field, an operator and a value that may contain colons", () => {
  expect(parseEventFilter("url:has:https://a")).toEqual({
    field: "url",
    operator: "has",
    value: "https://a",
  });
  expect([parseEventFilter("url:under:x"), parseEventFilter("url"), parseEventFilter("a:is:")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
