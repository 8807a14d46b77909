import { expect, it } from "vitest";
import { faultOf, isSame, rulesOf } from "./retention-rules";

it.each([
  [{ bucket: "aw-*", days: "365" }, undefined],
  [{ bucket: " ", days: "365" }, "Enter a bucket, or * for all"],
  [{ bucket: "a", days: "0" }, "Enter a whole number of days, at least 1"],
  [{ bucket: "a", days: "1.5" }, "Enter a whole number of days, at least 1"],
  [{ bucket: "a", days: "" }, "Enter a whole number of days, at least 1"],
])("the error of %o is %s", (rule, fault) => expect(faultOf(rule)).toBe(fault));

it("what is typed becomes rules, in order", () => {
  const rules = rulesOf([{ key: 1, bucket: " a ", days: "30" }]);
  expect(rules).toEqual([{ bucket: "a", days: 30 }]);
  expect(isSame(rules, [{ bucket: "a", days: 30 }])).toBe(true);
  expect(isSame(rules, [{ bucket: "a", days: 31 }])).toBe(false);
  expect(isSame(rules, [])).toBe(false);
});
