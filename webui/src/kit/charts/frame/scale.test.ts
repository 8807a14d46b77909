import { describe, expect, it } from "vitest";
import { bands, durationTicks, every, linear, tickLabel } from "./scale";

describe("a linear scale", () => {
  it("maps ends to ends, also in reverse", () => {
    const y = linear([0, 10], [200, 0]);
    expect([y(0), y(5), y(10)]).toEqual([200, 100, 0]);
  });

  it("does not divide by zero", () => {
    expect(linear([3, 3], [0, 10])(3)).toBe(0);
  });
});

describe("bands", () => {
  it("share the width, with a gap between", () => {
    const x = bands(4, 80, 0.25);
    expect(x.width).toBe(15);
    expect([x.at(0), x.at(1), x.middle(0)]).toEqual([2.5, 22.5, 10]);
  });

  it("have a maximum width, and never vanish", () => {
    expect(bands(2, 800).width).toBe(48);
    expect(bands(400, 100).width).toBe(1);
  });
});

const HOUR = 3600;

describe("ticks of a duration", () => {
  it.each([
    [20 * 60, [0, 300, 600, 900, 1200]],
    [50 * 60, [0, 900, 1800, 2700, 3600]],
    [7.5 * HOUR, [0, 2 * HOUR, 4 * HOUR, 6 * HOUR, 8 * HOUR]],
    [50 * HOUR, [0, 24 * HOUR, 48 * HOUR, 72 * HOUR]],
    [300 * HOUR, [0, 100 * HOUR, 200 * HOUR, 300 * HOUR]],
  ])("reach %d seconds in round steps", (most, ticks) => {
    expect(durationTicks(most)).toEqual(ticks);
  });

  it("never have more steps than wanted, and always reach the largest value", () => {
    for (let most = 30; most < 4_000_000; most = Math.ceil(most * 1.37)) {
      const ticks = durationTicks(most, 5);
      expect(ticks.length - 1).toBeLessThanOrEqual(5);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(most);
    }
  });

  it("have one step if there is nothing", () => {
    expect(durationTicks(0)).toEqual([0, 60]);
  });

  it("have short labels", () => {
    expect([0, 900, 5400, 6 * HOUR, 1200 * HOUR].map(tickLabel)).toEqual([
      "0",
      "15m",
      "1h 30m",
      "6h",
      "1,200h",
    ]);
  });
});

describe("labels that do not fit", () => {
  it.each([
    [12, 600, 40, 1],
    [53, 600, 40, 4],
    [31, 300, 24, 3],
    [10, 0, 40, 10],
  ])("of %d in %d px with %d px each: every %d.", (count, space, width, expected) => {
    expect(every(count, space, width)).toBe(expected);
  });
});
