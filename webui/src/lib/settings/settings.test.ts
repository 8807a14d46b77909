import { describe, expect, it } from "vitest";
import { nextClockChange } from "./clock-change";
import { findSettings, sectionNamed, SECTIONS, SETTINGS } from "./sections";

describe("finding a setting", () => {
  it("takes the beginnings of words in any order", () => {
    expect(findSettings("dar mod").map((each) => each.id)).toEqual(["theme"]);
    expect(findSettings("zone").map((each) => each.id)).toEqual(["time_zone"]);
  });
  it("finds nothing for nothing", () => {
    expect(findSettings("  ")).toEqual([]);
    expect(findSettings("xyzzy")).toEqual([]);
  });
  it("finds every setting by its own label", () => {
    for (const setting of SETTINGS) expect(findSettings(setting.label)).toContain(setting);
  });
  it("begins with the first section where there is no such one", () => {
    expect(sectionNamed("nothing")).toBe("general");
    for (const { name } of SECTIONS) expect(sectionNamed(name)).toBe(name);
  });
});

describe("the next change of the clocks", () => {
  it("is on 29 March 2026 in Berlin, whose day has 23 hours", () => {
    const change = nextClockChange("Europe/Berlin", Date.parse("2026-03-05T12:00:00Z"));
    expect(change?.hours).toBe(23);
    expect(new Date(change?.at ?? 0).toISOString()).toBe("2026-03-29T01:00:00.000Z");
  });
  it("makes a day of 25 hours in autumn", () => {
    expect(nextClockChange("Europe/Berlin", Date.parse("2026-08-05T12:00:00Z"))?.hours).toBe(25);
  });
  it("knows half hours", () => {
    expect(nextClockChange("Australia/Lord_Howe", Date.parse("2026-08-05T12:00:00Z"))?.hours).toBe(23.5);
  });
  it("never comes where the clocks stay as they are", () => {
    expect(nextClockChange("UTC", Date.parse("2026-03-05T12:00:00Z"))).toBeUndefined();
  });
});
