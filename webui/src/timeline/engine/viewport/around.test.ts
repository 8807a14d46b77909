import { describe, expect, it } from "vitest";
import { aroundOf, recordedRange, sharesOf } from "./around";

describe("the overview", () => {
  const HOUR = 3_600_000;
  const noon = Date.parse("2026-03-05T12:00:00Z");
  const known = { start: Date.parse("2020-01-01T00:00:00Z"), end: noon };
  const around = (hours: number, middle = noon) =>
    aroundOf({ start: middle - (hours / 2) * HOUR, end: middle + (hours / 2) * HOUR }, known, "UTC", "04:00");

  it("is of the day, the month or the year that one looks into", () => {
    expect(around(2)).toEqual({ period: "day", date: "2026-03-05" });
    expect(around(24)).toEqual({ period: "month", date: "2026-03-15" });
    expect(around(24 * 30)).toEqual({ period: "year", date: "2026-06-15" });
    expect(around(24 * 365)).toMatchObject({ start: known.start });
  });
  it("stays the same while one moves within it", () => {
    const later = noon + 5 * 24 * HOUR;
    for (const hours of [24, 24 * 30, 24 * 365]) expect(around(hours, later)).toEqual(around(hours));
  });
  it("takes the night for the day before", () =>
    expect(around(1, Date.parse("2026-03-05T02:00:00Z"))).toEqual({ period: "day", date: "2026-03-04" }));
});

describe("the recorded range", () => {
  const now = Date.parse("2026-03-05T12:00:00Z");
  const day = 86_400_000;

  it("reaches from the first event to a day after the last one or after now", () => {
    const buckets = [
      { first: "2026-01-01T00:00:00Z", last: "2026-02-01T00:00:00Z" },
      { first: null, last: null },
      { first: "2025-06-01T00:00:00Z", last: "2026-03-07T00:00:00Z" },
    ];
    expect(recordedRange(buckets, now)).toEqual({
      start: Date.parse("2025-06-01T00:00:00Z"),
      end: Date.parse("2026-03-08T00:00:00Z"),
    });
  });

  it("is a day around now if nothing was recorded", () => {
    expect(recordedRange([], now)).toEqual({ start: now - day, end: now + day });
  });
});

it("the overview shows which part of each stretch was active", () => {
  const answer = {
    range: { start: "2026-03-05T00:00:00Z", end: "2026-03-05T02:00:00Z", tz: "UTC" },
    edges: ["2026-03-05T00:00:00Z", "2026-03-05T01:00:00Z", "2026-03-05T02:00:00Z"],
    total: [1800, 0],
  };
  expect(sharesOf(answer as never).shares).toEqual([0.5, 0]);
});
