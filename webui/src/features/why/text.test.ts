import { describe, expect, it } from "vitest";
import { secondsOf, subjectText, targetText } from "../goals/text";
import { marked } from "../../core/text/highlight";
import { watcherName } from "../buckets/health/watcher-name";
import { lostText, ruleName, ruleText, type Match } from "./text";

describe("a highlighted text", () => {
  it("is split at the highlight", () => {
    expect(marked("RFC 9110", 0, 3)).toEqual([
      { text: "RFC", isMarked: true },
      { text: " 9110", isMarked: false },
    ]);
  });
  it("counts Unicode characters", () => {
    expect(marked("😀😀 main.py", 3, 7)[1]).toEqual({ text: "main", isMarked: true });
  });
  it("is shortened far from the highlight", () => {
    expect(marked("a".repeat(100) + "X" + "b".repeat(100), 100, 101, 3).map((piece) => piece.text)).toEqual([
      "…aaa",
      "X",
      "bbb…",
    ]);
  });
});

describe("a rule as text", () => {
  const match: Match = {
    category: ["Work"],
    condition: 1,
    op: "is",
    pattern: "docs.python.org",
    field: "domain",
    lost_by: "priority",
  };
  it("names field, operator and value", () => {
    expect(ruleText(match)).toBe("domain is docs.python.org");
    expect(ruleText({ ...match, op: "word" })).toBe("domain has the word docs.python.org");
  });
  it("names the condition and why it lost", () => {
    expect(ruleName(match)).toBe("condition 2");
    expect(ruleName({ ...match, condition: null })).toBe("its pattern");
    expect(lostText(match)).toBe("less specific");
    expect(lostText({ ...match, lost_by: null })).toBe("");
  });
});

describe("a goal as text", () => {
  const goal = {
    kind: "at_least",
    per: "day",
    by: "category",
    category: ["Work", "Code"],
    value: null,
  } as const;
  it("says how much of what", () => {
    expect(targetText(goal, 14_400)).toBe("≥ 4h 00m a day");
    expect(subjectText(goal)).toBe("Work › Code");
    expect(subjectText({ ...goal, by: "all" })).toBe("all active time");
    expect(subjectText({ ...goal, by: "app", value: "Code" })).toBe("Code");
  });
  it("needs a duration of at most a month", () => {
    expect(secondsOf(4, 30)).toBe(16_200);
    expect(secondsOf(null, 5)).toBe(300);
    expect(secondsOf(0, 0)).toBeUndefined();
    expect(secondsOf(10_000, 0)).toBeUndefined();
  });
});

it("watchers are named by what they watch", () => {
  expect(watcherName("aw-watcher-afk")).toBe("away");
  expect(watcherName("aw-watcher-web-firefox")).toBe("web-firefox");
});
