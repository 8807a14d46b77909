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
  it("stack one part on the other, and the rest on top", () => {
    expect(stackBars(VALUES, "stack")[0]).toEqual([
      { key: 0, seconds: 60, share: 0.6, from: 0, to: 60 },
      { key: 1, seconds: 20, share: 0.2, from: 60, to: 80 },
      { key: OTHER, seconds: 20, share: 0.2, from: 80, to: 100 },
    ]);
  });

  it("as shares add up to 1, and an empty bin has no parts", () => {
    const bars = stackBars(VALUES, "share");
    expect(bars.map((bar) => bar.at(-1)?.to)).toEqual([1, undefined, 1]);
  });

  it("are scaled to the tallest one, or to the comparison", () => {
    const bars = stackBars(VALUES, "stack");
    expect(tallest(bars)).toBe(100);
    expect(tallest(bars, [0, 130])).toBe(130);
    expect(tallest([])).toBe(0);
  });
});
