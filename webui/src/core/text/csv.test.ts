import { describe, expect, it } from "vitest";
import { csv, csvHours } from "./csv";

describe("CSV", () => {
  it("ends lines as in RFC 4180, and quotes if needed", () => {
    expect(
      csv([
        ["a", 'say "no"', "x, y"],
        [1.5, null, "two\nlines"],
      ]),
    ).toBe('a,"say ""no""","x, y"\r\n1.5,,"two\nlines"\r\n');
  });

  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", "\uff1d1", "\uff0b1", "\uff0d1", "\uff20x"])(
    "escapes %j, which could be a formula",
    (text) => {
      expect(csv([[text]]).replaceAll('"', "")).toBe(`'${text}\r\n`);
    },
  );

  // A space or a byte order mark before the equals sign hid the formula from us, and not from the spreadsheet.
  it.each([" =1", "\u00a0=1", "\u000b=1", "\f=1", "\ufeff=1", " \ufeff\u200b-1", "\u0000=1", "\u0085@x"])(
    "escapes %j, which hides a formula",
    (text) => {
      expect(csv([[text]])).toBe(`'${text}\r\n`);
    },
  );

  it.each(["", " ", "\ufeff", " title", "a=1", "\u2212x", "~/=x"])("leaves %j alone", (text) => {
    expect(csv([[text]])).toBe(`${text}\r\n`);
  });

  it("leaves numbers alone, including negative ones", () => {
    expect(csv([[-1.25]])).toBe("-1.25\r\n");
  });

  it("writes times as hours", () => {
    expect([5400, 100, 0].map(csvHours)).toEqual([1.5, 0.0278, 0]);
  });
});
