import { expect, it } from "vitest";
import { fromExactField, toExactField } from "./exact-fields";

const BERLIN = "Europe/Berlin";
const moment = Date.parse("2026-07-05T12:00:31.250Z");

it("shows a moment as clocks of the zone show it, with what is below a second", () => {
  expect(toExactField(moment, BERLIN)).toBe("2026-07-05T14:00:31.250");
  expect(toExactField(Date.parse("2026-07-05T12:00:00Z"), BERLIN)).toBe("2026-07-05T14:00:00");
});

it("keeps the moment to the microsecond where nobody changed the field", () => {
  expect(fromExactField("2026-07-05T14:00:31.250", BERLIN, moment + 0.5)).toBe(moment + 0.5);
});

it("reads what was typed, and nothing where that is no time", () => {
  expect(fromExactField("2026-07-05T14:01", BERLIN, moment)).toBe(Date.parse("2026-07-05T12:01:00Z"));
  expect(fromExactField("", BERLIN, moment)).toBeUndefined();
});
