import { describe, expect, it } from "vitest";
import { biggestChanges, fairSpans } from "./changes";

describe("the biggest changes", () => {
  it("are sorted by how much they are, whatever the direction", () => {
    const now = [
      { key: ["Work"], seconds: 5000 },
      { key: ["Media"], seconds: 1000 },
      { key: ["New"], seconds: 600 },
    ];
    const before = [
      { key: ["Work"], seconds: 4000 },
      { key: ["Media"], seconds: 4000 },
      { key: ["Gone"], seconds: 900 },
    ];
    expect(biggestChanges(now, before, 3)).toEqual([
      { key: ["Media"], seconds: 1000, before: 4000, by: -3000, share: -0.75 },
      { key: ["Work"], seconds: 5000, before: 4000, by: 1000, share: 0.25 },
      { key: ["Gone"], seconds: 0, before: 900, by: -900, share: -1 },
    ]);
  });

  it("have no share where there was nothing, and less than a minute is none", () => {
    expect(
      biggestChanges(
        [
          { key: "a", seconds: 100 },
          { key: "b", seconds: 59 },
        ],
        [],
        9,
      ),
    ).toEqual([{ key: "a", seconds: 100, before: 0, by: 100, share: undefined }]);
  });
});

describe("two ranges to compare", () => {
  const week = { start: "2026-03-09T04:00:00+01:00", end: "2026-03-16T04:00:00+01:00" };
  const before = { start: "2026-03-02T04:00:00+01:00", end: "2026-03-09T04:00:00+01:00" };
  const edges = [9, 10, 11, 12, 13, 14, 15, 16].map(
    (day) => `2026-03-${String(day).padStart(2, "0")}T04:00:00+01:00`,
  );

  it("are whole where the range is over", () => {
    expect(fairSpans(week, before, edges, Date.parse(week.end))).toEqual({ range: week, before });
  });

  it("end with the last whole day, and at the same place of the other one", () => {
    const now = Date.parse("2026-03-11T15:00:00+01:00");
    expect(fairSpans(week, before, edges, now)).toEqual({
      range: { start: week.start, end: "2026-03-11T04:00:00+01:00" },
      before: { start: before.start, end: "2026-03-04T03:00:00.000Z" },
    });
  });

  it("are none on the first day, and never reach beyond the other one", () => {
    expect(fairSpans(week, before, edges, Date.parse("2026-03-09T15:00:00+01:00"))).toBeUndefined();
    const short = { start: before.start, end: "2026-03-03T04:00:00+01:00" };
    const now = Date.parse("2026-03-13T15:00:00+01:00");
    expect(fairSpans(week, short, edges, now)?.before.end).toBe("2026-03-03T03:00:00.000Z");
  });
});
