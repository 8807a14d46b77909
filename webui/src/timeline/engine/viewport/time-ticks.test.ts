import { describe, expect, it } from "vitest";
import { zonedMoment } from "../../../core/time/offset";
import { readableTicks, ticks } from "./time-ticks";

const BERLIN = "Europe/Berlin";
const at = (text: string) => Date.parse(text);
const shown = (start: string, end: string, zone: string, most: number) =>
  ticks(at(start), at(end), zone, most).map(({ time }) => zonedMoment(time, zone).slice(0, 16));

describe("ticks", () => {
  it("are at round times of the zone, not of the browser", () => {
    expect(shown("2026-03-05T08:10:00Z", "2026-03-05T12:00:00Z", "Asia/Kolkata", 5)).toEqual([
      "2026-03-05T14:00",
      "2026-03-05T15:00",
      "2026-03-05T16:00",
      "2026-03-05T17:00",
    ]);
  });

  it("omit the skipped hour", () => {
    const found = shown("2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", BERLIN, 30);
    expect(found).toHaveLength(23);
    expect(found.slice(0, 4)).toEqual([
      "2026-03-29T00:00",
      "2026-03-29T01:00",
      "2026-03-29T03:00",
      "2026-03-29T04:00",
    ]);
  });

  it("are an hour apart on a day of 25 hours, except for the repeated hour", () => {
    const found = ticks(at("2026-10-24T22:00:00Z"), at("2026-10-25T23:00:00Z"), BERLIN, 30);
    expect(found.map(({ time }) => zonedMoment(time, BERLIN).slice(11, 13))).toEqual(
      Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0")),
    );
  });

  it.each([
    ["2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z", 10, 6],
    ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", 10, 8],
    ["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", 10, 4],
    ["2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z", 13, 12],
    ["2010-01-01T00:00:00Z", "2027-01-01T00:00:00Z", 10, 4],
  ])("from %s to %s with space for %i are %i", (start, end, most, count) =>
    expect(ticks(at(start), at(end), "UTC", most)).toHaveLength(count),
  );

  it("never exceed the maximum", () => {
    for (let size = 60_000; size < 4e11; size *= 1.7) {
      const start = at("2026-03-05T00:00:00Z");
      expect(ticks(start, start + size, "UTC", 8).length).toBeLessThanOrEqual(9);
    }
  });

  it("name the day at its start", () => {
    const found = ticks(at("2026-03-05T12:00:00Z"), at("2026-03-06T12:00:00Z"), "UTC", 8);
    expect(found.filter(({ isMajor }) => isMajor).map(({ time }) => time)).toEqual([
      at("2026-03-06T00:00:00Z"),
    ]);
  });
});

const view = { start: 0, end: 1000 };
const tick = (time: number, label: string, isMajor = false) => ({ time, label, isMajor });
const labels = (...ticks: ReturnType<typeof tick>[]) =>
  readableTicks(ticks, view, 1000).map(({ label }) => label);

describe("labels of an axis", () => {
  it("are left out where they would overlap the one before", () =>
    expect(labels(tick(0, "10 Nov"), tick(40, "11 Nov"), tick(80, "12 Nov"))).toEqual([
      "10 Nov",
      "",
      "12 Nov",
    ]));

  it("of a new day are kept instead of the hours around it", () =>
    expect(
      labels(tick(0, "22:00"), tick(40, "Tue 10 Nov", true), tick(80, "02:00"), tick(200, "04:00")),
    ).toEqual(["", "Tue 10 Nov", "", "04:00"]));

  it("are left out where the edge would cut them", () => expect(labels(tick(970, "12:00"))).toEqual([""]));
});
