import { expect, it } from "vitest";
import { faultOf, isSame, rulesOf } from "./rules";

it.each([
  [{ bucket: "aw-*", days: "365" }, undefined],
  [{ bucket: " ", days: "365" }, "Name a bucket, or * for all"],
  [{ bucket: "a", days: "0" }, "Days are a whole number from 1"],
  [{ bucket: "a", days: "1.5" }, "Days are a whole number from 1"],
  [{ bucket: "a", days: "" }, "Days are a whole number from 1"],
])("of %o the fault is %s", (rule, fault) => expect(faultOf(rule)).toBe(fault));

it("what is typed becomes rules, in order", () => {
  const rules = rulesOf([{ key: 1, bucket: " a ", days: "30" }]);
  expect(rules).toEqual([{ bucket: "a", days: 30 }]);
  expect(isSame(rules, [{ bucket: "a", days: 30 }])).toBe(true);
  expect(isSame(rules, [{ bucket: "a", days: 31 }])).toBe(false);
  expect(isSame(rules, [])).toBe(false);
});
