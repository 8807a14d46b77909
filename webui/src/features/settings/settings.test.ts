import { describe, expect, it } from "vitest";
import { nextClockChange } from "./general/clock-change";
import { findSettings, sectionNamed, SECTIONS, SETTINGS } from "./sections";

describe("finding a setting", () => {
  it("accepts word prefixes in any order", () => {
    expect(findSettings("dar mod").map((each) => each.id)).toEqual(["theme"]);
    expect(findSettings("zone").map((each) => each.id)).toEqual(["time_zone"]);
  });
  it("finds nothing for an empty search", () => {
    expect(findSettings("  ")).toEqual([]);
    expect(findSettings("xyzzy")).toEqual([]);
  });
  it("finds every setting by its own label", () => {
    for (const setting of SETTINGS) expect(findSettings(setting.label())).toContain(setting);
  });
  it("finds rules that keep something out by the words that users have for it", () => {
    for (const word of ["exclude", "private", "hide"])
      expect(findSettings(word).map(({ id }) => id)).toContain("rules");
    expect(findSettings("timezone").map(({ id }) => id)).toContain("time_zone");
  });
  it("opens the first section if the name is unknown", () => {
    expect(sectionNamed("nothing")).toBe("general");
    for (const { name } of SECTIONS) expect(sectionNamed(name)).toBe(name);
  });
});

describe("the next clock change", () => {
  it("is on 29 March 2026 in Berlin, whose day has 23 hours", () => {
    const change = nextClockChange("Europe/Berlin", "04:00", Date.parse("2026-03-05T12:00:00Z"));
    expect(change?.hours).toBe(23);
    // The day that starts at 04:00 on Saturday lasts until the clocks have changed; Sunday was named.
    expect(change?.day).toBe("2026-03-28");
    expect(nextClockChange("Europe/Berlin", "00:00", Date.parse("2026-03-05T12:00:00Z"))?.day).toBe(
      "2026-03-29",
    );
    expect(new Date(change?.at ?? 0).toISOString()).toBe("2026-03-29T01:00:00.000Z");
  });
  it("makes a day of 25 hours in autumn", () => {
    expect(nextClockChange("Europe/Berlin", "04:00", Date.parse("2026-08-05T12:00:00Z"))?.hours).toBe(25);
  });
  it("supports half hours", () => {
    expect(nextClockChange("Australia/Lord_Howe", "04:00", Date.parse("2026-08-05T12:00:00Z"))?.hours).toBe(
      23.5,
    );
  });
  it("is undefined if the clocks never change", () => {
    expect(nextClockChange("UTC", "04:00", Date.parse("2026-03-05T12:00:00Z"))).toBeUndefined();
  });
});
