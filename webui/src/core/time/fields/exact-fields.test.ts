import { expect, it } from "vitest";
import { fromExactField, toExactField } from "./exact-fields";

const BERLIN = "Europe/Berlin";
const moment = Date.parse("2026-07-05T12:00:31.250Z");

it("shows local time with fractions of a second", () => {
  expect(toExactField(moment, BERLIN)).toBe("2026-07-05T14:00:31.250");
  expect(toExactField(Date.parse("2026-07-05T12:00:00Z"), BERLIN)).toBe("2026-07-05T14:00:00");
});

it("keeps microseconds if the field was not changed", () => {
  expect(fromExactField("2026-07-05T14:00:31.250", BERLIN, moment + 0.5)).toBe(moment + 0.5);
});

it("reads what was typed, and undefined if it is not a time", () => {
  expect(fromExactField("2026-07-05T14:01", BERLIN, moment)).toBe(Date.parse("2026-07-05T12:01:00Z"));
  expect(fromExactField("", BERLIN, moment)).toBeUndefined();
});
