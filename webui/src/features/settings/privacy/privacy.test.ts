import { describe, expect, it } from "vitest";
import { changedFields, ruleText, withRule } from "./privacy";

describe("privacy rules", () => {
  it("are described as text", () => {
    const rule = {
      action: "drop" as const,
      field: "title",
      pattern: "(?i)bank",
      buckets: ["aw-*"],
      replacement: "",
    };
    expect(ruleText(rule)).toBe("if title matches (?i)bank, in aw-*");
    expect(ruleText({ ...rule, field: "*", buckets: [] })).toBe("if any text matches (?i)bank");
  });
  it("show the fields they change", () => {
    expect(changedFields({ app: "A", title: "Bank" }, { app: "A", title: "REDACTED" })).toEqual([
      { field: "title", before: "Bank", after: "REDACTED" },
    ]);
  });
  it("show all fields of events they drop", () => {
    expect(changedFields({ app: "A", n: 1 }, null)).toEqual([
      { field: "app", before: "A", after: undefined },
      { field: "n", before: "1", after: undefined },
    ]);
  });
  it("are added, replaced and removed by index", () => {
    expect(withRule(["a", "b"], undefined, "c")).toEqual(["a", "b", "c"]);
    expect(withRule(["a", "b"], 0, "c")).toEqual(["c", "b"]);
    expect(withRule(["a", "b"], 0, undefined)).toEqual(["b"]);
  });
});
