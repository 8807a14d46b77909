import { expect, test } from "vitest";
import { pack, unpack } from "./packed";

test.each([
  [0, "Cancel"],
  [51, ""],
  [52, "of {total}"],
  [2703, { one: "{count} event", other: "{count} events" }],
])("text %d is unpacked as it was packed", (place, message) => {
  expect(unpack(pack(place, message))).toEqual({ place, message });
});

test("what cannot be packed is refused", () => {
  expect(() => pack(2704, "Cancel")).toThrow("more texts than 2704");
  expect(() => pack(0, "either | or")).toThrow("contains a bar");
});
