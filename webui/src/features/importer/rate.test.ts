import { expect, it } from "vitest";
import { addLook, rateOf } from "./rate";

it("a rate is known after a short time, and only the last seconds count", () => {
  let looks = addLook([], 0, 0);
  expect(rateOf(looks)).toBeUndefined();
  looks = addLook(looks, 100, 500);
  expect(rateOf(looks)).toBeUndefined();
  looks = addLook(looks, 1000, 2000);
  expect(rateOf(looks)).toBe(2000);
  looks = addLook(looks, 5500, 2000 + 4500 * 10);
  looks = addLook(looks, 6000, 2000 + 5000 * 10);
  expect(rateOf(looks)).toBe(10_000);
});

it("samples without progress do not count", () => {
  const looks = addLook(addLook([], 0, 0), 1000, 1000);
  expect(addLook(looks, 2000, 1000)).toBe(looks);
});
