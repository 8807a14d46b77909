import { describe, expect, it } from "vitest";
import { fitting, limitsOf, moment, panned, revealing, snapped, within, zoomed } from "./viewport";

const HOUR = 3_600_000;
const limits = limitsOf(0, 10 * 365 * 24 * HOUR);
const view = { start: 1000 * HOUR, end: 1024 * HOUR };

describe("zooming", () => {
  it("keeps what is under the pointer where it is", () => {
    const at = 1006 * HOUR;
    const closer = zoomed(view, 0.5, at, limits);
    expect((at - closer.start) / (closer.end - closer.start)).toBeCloseTo(0.25);
    expect(closer.end - closer.start).toBe(12 * HOUR);
  });

  it("goes from a minute to all years and no further", () => {
    const closest = zoomed(view, 1e-9, 1006 * HOUR, limits);
    expect(closest.end - closest.start).toBeCloseTo(60_000);
    const all = zoomed(view, 1e9, 1006 * HOUR, limits);
    expect(all).toEqual({ start: limits.start, end: limits.end });
  });
});

describe("moving", () => {
  it("ends where there is nothing more", () => {
    expect(panned(view, -1e15, limits).start).toBe(limits.start);
    expect(panned(view, 1e15, limits).end).toBe(limits.end);
    expect(within({ start: -1e15, end: 1e15 }, limits)).toEqual({ start: limits.start, end: limits.end });
  });

  it("shows a span that is beside the screen, and leaves one alone that is on it", () => {
    expect(revealing(view, 1010 * HOUR, 1011 * HOUR, limits)).toBe(view);
    const on = revealing(view, 1030 * HOUR, 1031 * HOUR, limits);
    expect(on.end).toBeGreaterThan(1031 * HOUR);
    expect(on.end - on.start).toBe(24 * HOUR);
    const back = revealing(view, 990 * HOUR, 991 * HOUR, limits);
    expect(back.start).toBeLessThan(990 * HOUR);
  });

  it("fits a span with some space around it", () => {
    const fitted = fitting(1000 * HOUR, 1010 * HOUR, limits);
    expect(fitted.start).toBeLessThan(1000 * HOUR);
    expect(fitted.end).toBeGreaterThan(1010 * HOUR);
  });
});

describe("times", () => {
  it("are rounded for a selection by pointer", () => {
    const time = Date.parse("2026-03-05T10:05:17Z");
    expect(moment(snapped(time, 61_000))).toBe("2026-03-05T10:05:00Z");
    expect(moment(snapped(time, 6_000))).toBe("2026-03-05T10:05:20Z");
    expect(moment(snapped(time + 123, 600))).toBe("2026-03-05T10:05:17Z");
  });

  it("are written to the microsecond", () => {
    expect(moment(Date.parse("2026-03-05T10:05:17.250Z"))).toBe("2026-03-05T10:05:17.250Z");
    expect(moment(Date.parse("2026-03-05T10:05:17.250Z") + 0.125)).toBe("2026-03-05T10:05:17.250125Z");
    expect(moment(0)).toBe("1970-01-01T00:00:00Z");
  });
});
