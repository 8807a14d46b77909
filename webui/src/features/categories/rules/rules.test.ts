import { expect, it } from "vitest";
import {
  conditionText,
  faultPlace,
  formatCondition,
  newCategory,
  parseCondition,
  prepared,
  type Condition,
} from "./rules";

it("a condition in a URL may have colons in its value", () => {
  const condition = parseCondition("url:starts:https://x.org/a:b") as Condition;
  expect(condition.value).toBe("https://x.org/a:b");
  expect(formatCondition(condition)).toBe("url:starts:https://x.org/a:b");
  expect(conditionText(condition)).toBe("url starts with https://x.org/a:b");
  expect(parseCondition("url:like:x")).toBeUndefined();
  expect(parseCondition("url:is:")).toBeUndefined();
});

it("a condition without a value is not sent, and error positions still match", () => {
  const empty = { field: "app", op: "is", value: "", ignore_case: true } as const;
  const full = { ...empty, value: "x" };
  const sent = prepared([newCategory(["A"]), { ...newCategory(["B"]), conditions: [empty, full] }]);
  expect(sent.categories[1]?.conditions).toEqual([full]);
  expect(faultPlace("categories[1].conditions[0].value", sent)).toEqual({ category: 1, condition: 1 });
  expect(faultPlace("categories[1].rule.regex", sent)).toEqual({ category: 1, condition: null });
  expect(faultPlace("comment", sent)).toBeUndefined();
});
