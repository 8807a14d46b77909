import { describe, expect, it } from "vitest";
import { momentOf, offsetAt, zonedMoment } from "./offset";

const BERLIN = "Europe/Berlin";
const at = (text: string) => Date.parse(text);

describe("a zone's clocks", () => {
  it("have the offset of that time", () => {
    expect(offsetAt(at("2026-01-05T12:00:00Z"), BERLIN)).toBe(3_600_000);
    expect(offsetAt(at("2026-07-05T12:00:00Z"), BERLIN)).toBe(7_200_000);
    expect(offsetAt(at("2026-07-05T12:00:00Z"), "America/St_Johns")).toBe(-9_000_000);
  });

  it("convert a local time back", () => {
    for (const zone of [BERLIN, "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"])
      for (let time = at("2026-01-01T00:07:00Z"); time < at("2027-01-01T00:00:00Z"); time += 40_000_000) {
        const again = momentOf(time + offsetAt(time, zone), zone);
        expect(again + offsetAt(again, zone)).toBe(time + offsetAt(time, zone));
      }
  });

  it("are written with their offset", () => {
    expect(zonedMoment(at("2026-07-05T12:00:00.250Z"), BERLIN)).toBe("2026-07-05T14:00:00.250+02:00");
    expect(zonedMoment(at("2026-07-05T12:00:00Z"), "America/St_Johns")).toBe("2026-07-05T09:30:00-02:30");
  });
});
