import { describe, expect, it } from "vitest";
import { bands, linear } from "./scale";

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
