import { expect, test } from "vitest";
import { matchRank } from "./match";

test("a beginning is better than a word, a word better than a part, all better than words apart", () => {
  expect(
    ["Code", "Work › Code", "Barcode", "Decode the day"].map((label) => matchRank(label, "code")),
  ).toEqual([0, 1, 2, 2]);
  expect(matchRank("Open the timeline of today", "today open")).toBe(3);
  expect(matchRank("Settings", "xyz")).toBeUndefined();
});
