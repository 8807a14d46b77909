import { describe, expect, it } from "vitest";
import {
  complete,
  completions,
  filterTerm,
  hasTerm,
  parseSearch,
  toggleTerm,
  withoutTerm,
  type Completion,
  type Term,
} from "./parse-search";

const QUERY = 'rust -youtube domain:doc "borrow checker" after:2026-06 dur>2m -app:"Visual Studio"';

describe("a query", () => {
  it("has parts, each with its position, sign, operator and value", () => {
    const terms = parseSearch(QUERY);
    expect(terms.map(({ operator, isNegative, value }) => [operator, isNegative, value])).toEqual([
      [undefined, false, "rust"],
      [undefined, true, "youtube"],
      ["domain", false, "doc"],
      [undefined, false, "borrow checker"],
      ["after", false, "2026-06"],
      ["dur>", false, "2m"],
      ["app", true, "Visual Studio"],
    ]);
    expect(terms.map(({ start, end }) => QUERY.slice(start, end)).join(" ")).toBe(QUERY);
  });
  it("loses one part and keeps the others", () => {
    const terms = parseSearch(QUERY);
    expect(withoutTerm(QUERY, terms[3] as Term)).toBe(QUERY.replace('"borrow checker" ', ""));
    expect(withoutTerm("rust", parseSearch("rust")[0] as Term)).toBe("");
  });
  it("toggles a part", () => {
    const with_ = toggleTerm("rust", "type:web.tab.current");
    expect(with_).toBe("rust type:web.tab.current");
    expect(hasTerm(with_, "TYPE:web.tab.current")).toBe(true);
    expect(toggleTerm(with_, "type:web.tab.current")).toBe("rust");
  });
  it("terminates on any input", () => {
    for (const text of [
      "-",
      '"',
      "- -",
      ":",
      "std::vector",
      "dur>",
      "-dur>",
      '"a',
      'x"y',
      "https://a.b/c?d=1",
    ])
      expect(
        parseSearch(text)
          .map((term) => term.text)
          .join(" "),
      ).toBe(text);
  });
  it("includes the filters of the context bar", () => {
    expect(filterTerm("app", "is", "Visual Studio")).toBe('app:"Visual Studio"');
    expect(filterTerm("domain", "not", "x.org")).toBe("-domain:x.org");
    expect(filterTerm("project", "is", "x")).toBeUndefined();
  });
});

describe("completion", () => {
  const known = { device: ["laptop", "my phone"] };
  const texts = (query: string, caret = query.length) =>
    completions(query, caret, known).map(({ text }) => text);
  it("offers matching operators", () => {
    expect(texts("rust d")).toEqual(["domain:", "dur>", "dur<", "device:"]);
    expect(texts("-d")).toEqual(["-domain:", "-device:"]);
    expect(texts("rust ")).toContain("after:");
  });
  it("offers values after an operator", () => {
    expect(texts("device:")).toEqual(["device:laptop ", 'device:"my phone" ']);
    expect(texts("device:pho")).toEqual(['device:"my phone" ']);
    expect(texts("after:")).toEqual(["after:today ", "after:yesterday "]);
    expect(texts("title:x")).toEqual([]);
  });
  it("replaces what was typed", () => {
    const [first] = completions("a dev b", 5, known);
    expect(complete("a dev b", first as Completion)).toEqual({ query: "a device: b", caret: 9 });
    const [value] = completions("device:lap rust", 10, known);
    expect(complete("device:lap rust", value as Completion)).toEqual({
      query: "device:laptop rust",
      caret: 14,
    });
  });
});
