import { expect, it } from "vitest";
import { dataRows, dataText, fieldsOf, linkOf, parseData, parseEventFilter } from "./event-text";

it("data is summarized by its most important fields", () => {
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

it("rows have known fields first, and links only to addresses that a browser may open", () => {
  const rows = dataRows({ tabCount: 3, url: "https://x.example/a", title: "<b>", app: "Firefox" });
  expect(rows.map(({ field }) => field)).toEqual(["app", "title", "url", "tabCount"]);
  expect(rows.map(({ href }) => href)).toEqual([undefined, undefined, "https://x.example/a", undefined]);
  expect(dataRows({ url: "javascript:alert(1)" })[0]?.href).toBeUndefined();
  expect(rows.map(({ isPrivate }) => isPrivate)).toEqual([false, true, true, false]);
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

it.each([
  ["https://docs.example/a", "https://docs.example/a"],
  ["http://localhost:8000/", "http://localhost:8000/"],
  ["javascript:alert(1)", undefined],
  ["data:text/html,x", undefined],
  ["file:///etc/passwd", undefined],
  ["no address", undefined],
  [7, undefined],
])("of %s the link is %s", (url, link) => expect(linkOf({ url })).toBe(link));

it("data is a JSON object and nothing else", () => {
  expect(parseData('{"app": "Code"}')).toEqual({ app: "Code" });
  for (const text of ["", "[]", "3", "null", "{"]) expect(parseData(text)).toBeUndefined();
});
