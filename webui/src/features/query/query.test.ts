import { describe, expect, it } from "vitest";
import { withCategories } from "./categories";
import { completionsAt, rankOf, signatureText, type FunctionInfo, type Known } from "./editor/complete";
import { assignedNames, placeAt, positionOf } from "./editor/place";
import { barsOf, csvOf, gridOf, MAX_ROWS, partsOf } from "./result/result";
import { daysBetween, newId, parseSaved, withQuery } from "./saved";

/** A query with | at the cursor. */
function at(marked: string) {
  const position = marked.indexOf("|");
  return placeAt(marked.replace("|", ""), position);
}

describe("the position of the cursor", () => {
  it("is a partial name and the call around it", () => {
    expect(at("x = flood(que|")).toEqual({
      kind: "name",
      from: 10,
      prefix: "que",
      call: { name: "flood", argument: 0 },
    });
  });
  it("counts arguments, skipping lists and calls", () => {
    expect(at('x = f(g(1, 2), ["a", "b"], |')).toMatchObject({ call: { name: "f", argument: 2 } });
    expect(at("x = f(g(1, |")).toMatchObject({ call: { name: "g", argument: 1 } });
    expect(at("x = f([1, 2, |")).toMatchObject({ call: { name: "f", argument: 0 } });
  });
  it("is inside a string with any quotes", () => {
    expect(at("x = query_bucket('aw-|').")).toMatchObject({
      kind: "string",
      prefix: "aw-",
      call: { name: "query_bucket" },
    });
    expect(at('x = "a\\"b|"')).toMatchObject({ kind: "string", prefix: 'a\\"b' });
  });
  it("is undefined in a comment, and starts again after a semicolon", () => {
    expect(at("# flo|od").kind).toBe("comment");
    expect(at("x = f(1; |").call).toBeUndefined();
    expect(at("# it's\nflo|").prefix).toBe("flo");
  });
});

describe("names and positions", () => {
  it("are those assigned, not those compared or in strings", () => {
    expect(assignedNames('a = 1; b=2;\n# c = 3\nd = "e = 1; f = 2"; if a == 1 { g = 1; } a = 2;')).toEqual([
      "a",
      "b",
      "d",
      "g",
    ]);
  });
  it("are found by line and column", () => {
    expect(positionOf("ab\ncdef", 2, 3)).toBe(5);
    expect(positionOf("ab\ncdef", 2, 99)).toBe(7);
    expect(positionOf("ab", 9, 1)).toBe(0);
  });
});

const flood: FunctionInfo = {
  name: "flood",
  summary: "",
  parameters: [
    { name: "events", kind: "events", description: "", is_optional: false, is_variadic: false },
    { name: "pulsetime", kind: "number", description: "", is_optional: true, is_variadic: false },
  ],
  returns: "events",
  example: "",
};
const known: Known = {
  functions: [flood, { ...flood, name: "query_bucket_names", parameters: [] }],
  buckets: ["aw-watcher-window_laptop"],
  categories: [["Work", "Code"]],
};
const labels = (marked: string) =>
  completionsAt(at(marked), marked.replace("|", ""), known).map((each) => each.label);

describe("completion", () => {
  it("offers functions with their arguments, and puts the cursor between the parentheses", () => {
    const [first] = completionsAt(at("x = flo|"), "x = flo", known);
    expect(first).toMatchObject({ insert: "flood()", back: 1, detail: "(events, [pulsetime])" });
    expect(signatureText(flood)).toBe("flood(events, [pulsetime])");
  });
  it("offers variables, except the one being typed", () => {
    expect(labels("events = 1; x = eve|")).toContain("events");
    expect(labels("eve|")).not.toContain("eve");
  });
  it("offers only buckets if the argument is a bucket", () => {
    expect(labels('x = query_bucket("|')).toEqual(["aw-watcher-window_laptop"]);
  });
  it("offers fields and category names in other strings", () => {
    expect(labels('x = f(e, ["ti|')).toContain("title");
    expect(labels('x = f(e, ["Wo|')).toContain("Work");
  });
  it("offers categories as lists outside of strings", () => {
    const found = completionsAt(at("x = Cod|"), "x = Cod", known);
    expect(found[0]?.insert).toBe('["Work", "Code"]');
  });
  it("ranks prefixes before parts of words, and leaves out the rest", () => {
    expect(rankOf("query_bucket", "que")).toBe(0);
    expect(rankOf("query_bucket", "buc")).toBe(2);
    expect(rankOf("query_bucket", "qbk")).toBe(4);
    expect(rankOf("query_bucket", "xyz")).toBeUndefined();
    expect(rankOf("flood", "flood")).toBeUndefined();
  });
});

const event = (seconds: number, data: object) => ({
  id: null,
  timestamp: "2026-03-05T08:00:00Z",
  duration: seconds,
  data,
});

describe("a result", () => {
  it("of events has a column for each data field", () => {
    const grid = gridOf([event(1, { app: "A" }), event(2, { title: "B" })]);
    expect(grid.columns).toEqual(["timestamp", "duration", "app", "title"]);
    expect(grid.rows[1]).toEqual(["2026-03-05T08:00:00Z", 2, undefined, "B"]);
  });
  it("that is a dictionary has parts", () => {
    const parts = partsOf({ hours: 1.5, cats: [event(1, { app: "A" })] });
    expect(parts.map((part) => [part.kind, part.name])).toEqual([
      ["value", "hours"],
      ["grid", "cats"],
    ]);
  });
  it("is limited to ten thousand rows, and reports how many there are", () => {
    const grid = gridOf(Array.from({ length: MAX_ROWS + 5 }, (_, place) => place));
    expect([grid.rows.length, grid.total]).toEqual([MAX_ROWS, MAX_ROWS + 5]);
  });
  it("as a file has quotes if needed, and no formulas", () => {
    const grid = gridOf([event(-1.5, { title: '=cmd("x")', app: "a,b" })]);
    expect(csvOf(grid)).toBe(
      'timestamp,duration,title,app\r\n2026-03-05T08:00:00Z,-1.5,"\'=cmd(""x"")","a,b"\r\n',
    );
  });
  it("as a chart sums durations by category, else by the first field", () => {
    expect(barsOf(gridOf([event(1, { app: "A" }), event(5, { app: "B" }), event(2, { app: "A" })]))).toEqual([
      { label: "B", seconds: 5 },
      { label: "A", seconds: 3 },
    ]);
    expect(barsOf(gridOf([event(1, { app: "A", $category: ["Work", "Code"] })]))?.[0]?.label).toBe(
      "Work › Code",
    );
    expect(barsOf(gridOf([1, 2]))).toBeUndefined();
  });
});

describe("saved queries", () => {
  const kept = { id: "top", name: "Top", query_code: "RETURN = 1;", start_offset: 24 };
  it("keep unknown fields, and skip entries that are not queries", () => {
    expect(parseSaved([kept, { id: 1 }, null])).toEqual([kept]);
    expect(parseSaved(null)).toEqual([]);
  });
  it("keep their other fields when they change", () => {
    expect(withQuery(parseSaved([kept]), { id: "top", name: "Top", query_code: "RETURN = 2;" })).toEqual([
      { ...kept, query_code: "RETURN = 2;" },
    ]);
  });
  it("get a unique id", () => {
    expect(newId("Top", [kept])).toBe("top-2");
    expect(newId("…", [])).toBe("query");
  });
  it("count the days between two dates", () => {
    expect(daysBetween("2026-02-27", "2026-03-01")).toBe(2);
  });
});

describe("the placeholder for all categories", () => {
  it("is replaced by their rules, with backslashes unchanged", () => {
    const classes = [
      { name: ["Work"], rule: { type: "regex", regex: "\\bvim\\b" } },
      { name: ["None"], rule: { type: "none" } },
    ];
    expect(withCategories("x = categorize(e, __CATEGORIES__);", classes)).toBe(
      'x = categorize(e, [[["Work"],{"type":"regex","regex":"\\bvim\\b"}]]);',
    );
  });
  it("is left alone if it is not used", () => {
    expect(withCategories("RETURN = 1;", null)).toBe("RETURN = 1;");
  });
});
