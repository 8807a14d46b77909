import { describe, expect, it } from "vitest";
import { endOfDate, fromLocalText, toLocalText } from "./local";

const BERLIN = "Europe/Berlin";

describe("the clock of a zone", () => {
  it.each([
    ["2026-03-05T15:40:02.125Z", BERLIN, "2026-03-05T16:40:02.125"],
    ["2026-07-01T23:30:00.000Z", BERLIN, "2026-07-02T01:30:00.000"],
    ["2026-07-01T00:00:00.000Z", "America/St_Johns", "2026-06-30T21:30:00.000"],
    ["1969-12-31T23:59:59.500Z", "UTC", "1969-12-31T23:59:59.500"],
  ])("shows %s in %s as %s, and back", (moment, zone, text) => {
    expect(toLocalText(moment, zone)).toBe(text);
    expect(fromLocalText(text, zone)).toBe(moment);
  });

  it("is right on both sides of a clock change", () => {
    expect(fromLocalText("2026-03-29T01:59:59", BERLIN)).toBe("2026-03-29T00:59:59.000Z");
    expect(fromLocalText("2026-03-29T03:00:00", BERLIN)).toBe("2026-03-29T01:00:00.000Z");
    expect(fromLocalText("2026-10-25T03:30:00", BERLIN)).toBe("2026-10-25T02:30:00.000Z");
  });

  it("rejects text that is not a time", () => {
    expect(fromLocalText("", "UTC")).toBeUndefined();
    expect(endOfDate("2026-13-45", "UTC")).toBeUndefined();
  });
});

it("a date ends when the next one starts", () => {
  expect(endOfDate("2026-03-28", BERLIN)).toBe("2026-03-28T23:00:00.000Z");
  expect(endOfDate("2026-03-29", BERLIN)).toBe("2026-03-29T22:00:00.000Z");
});
