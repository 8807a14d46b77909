import { describe, expect, it } from "vitest";
import { recordedDays, yearsSince } from "./extent";

const now = Date.parse("2026-03-05T12:00:00Z");

describe("the selectable years", () => {
  it("range from the first event to now", () => {
    expect(yearsSince("2024-06-01T08:00:00Z", "2026-01-01T04:00:00+01:00", now, "UTC")).toEqual([
      2026, 2025, 2024,
    ]);
  });

  it("include the visible one, even without data", () => {
    expect(yearsSince(undefined, "2024-01-01T04:00:00Z", now, "UTC")).toEqual([2026, 2025, 2024]);
    expect(yearsSince(undefined, undefined, now, "UTC")).toEqual([2026]);
  });
});

describe("the days so far", () => {
  it("are counted during the first week only", () => {
    const year = { total: [0, 5, 3, 0, 7] };
    expect(recordedDays("2026-03-01T08:00:00Z", year, now)).toBe(3);
    expect(recordedDays("2026-02-20T08:00:00Z", year, now)).toBeUndefined();
    expect(recordedDays(undefined, year, now)).toBeUndefined();
  });
});
