import { describe, expect, it } from "vitest";
import { measurable, measured } from "./measure";

const SERIES = {
  keys: [["Work", "Code"], ["Media"], ["Work"]],
  values: [
    [10, 20],
    [5, 0],
    [1, 2],
  ],
  total: [20, 30],
};

describe("a measure", () => {
  it("is all active time without a category", () => {
    expect(measured(SERIES, undefined)).toEqual([20, 30]);
  });

  it("is a category and everything below it", () => {
    expect(measured(SERIES, ["Work"])).toEqual([11, 22]);
    expect(measured(SERIES, ["Work", "Code"])).toEqual([10, 20]);
    expect(measured(SERIES, ["Nothing"])).toEqual([0, 0]);
  });

  it("can be any category that occurs, and its parents", () => {
    expect(measurable([["Work", "Code"], ["Media", "Music"], ["Work"]])).toEqual([
      ["Media"],
      ["Media", "Music"],
      ["Work"],
      ["Work", "Code"],
    ]);
  });
});
