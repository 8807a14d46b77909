import { describe, expect, it } from "vitest";
import { csv, csvHours } from "./csv";

describe("CSV", () => {
  it("ends lines as RFC 4180 says, and quotes what needs it", () => {
    expect(
      csv([
        ["a", 'say "no"', "x, y"],
        [1.5, null, "two\nlines"],
      ]),
    ).toBe('a,"say ""no""","x, y"\r\n1.5,,"two\nlines"\r\n');
  });

  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", "\uff1d1", "\uff0b1", "\uff0d1", "\uff20x"])(
    "keeps %j from being a formula",
    (text) => {
      expect(csv([[text]]).replaceAll('"', "")).toBe(`'${text}\r\n`);
    },
  );

  it("leaves numbers alone, also below zero", () => {
    expect(csv([[-1.25]])).toBe("-1.25\r\n");
  });

  it("writes times as hours", () => {
    expect([5400, 100, 0].map(csvHours)).toEqual([1.5, 0.0278, 0]);
  });
});
