import { expect, test } from "vitest";
import { matchRank } from "./match";

test("a prefix beats a word, a word beats a part, and all beat separate words", () => {
  expect(
    ["Code", "Work › Code", "Barcode", "Decode the day"].map((label) => matchRank(label, "code")),
  ).toEqual([0, 1, 2, 2]);
  expect(matchRank("Open the timeline of today", "today open")).toBe(3);
  expect(matchRank("Settings", "xyz")).toBeUndefined();
});
