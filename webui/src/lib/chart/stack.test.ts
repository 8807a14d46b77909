import { describe, expect, it } from "vitest";
import { OTHER, stackBars, tallest } from "./stack";

const VALUES = {
  values: [
    [60, 0, 30],
    [20, 0, 30],
  ],
  other: [20, 0, 0],
};

describe("stacked bars", () => {
  it("put one part upon the other, and what is left on top", () => {
    expect(stackBars(VALUES, "stack")[0]).toEqual([
      { key: 0, seconds: 60, share: 0.6, from: 0, to: 60 },
      { key: 1, seconds: 20, share: 0.2, from: 60, to: 80 },
      { key: OTHER, seconds: 20, share: 0.2, from: 80, to: 100 },
    ]);
  });

  it("as shares reach 1, whatever their sum, and a bin without time has no parts", () => {
    const bars = stackBars(VALUES, "share");
    expect(bars.map((bar) => bar.at(-1)?.to)).toEqual([1, undefined, 1]);
  });

  it("are as tall as the tallest, or as what they are compared with", () => {
    const bars = stackBars(VALUES, "stack");
    expect(tallest(bars)).toBe(100);
    expect(tallest(bars, [0, 130])).toBe(130);
    expect(tallest([])).toBe(0);
  });
});
