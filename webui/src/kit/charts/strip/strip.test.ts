import { describe, expect, it } from "vitest";
import {
  grown,
  lanesOf,
  momentAt,
  parseSelection,
  place,
  rangeBetween,
  selectionText,
  spanAt,
  type Span,
} from "./strip";

const START = "2026-03-05T04:00:00+01:00";
const at = (minutes: number) => Date.parse(START) + minutes * 60_000;
const us = (minutes: number) => minutes * 60_000_000;
const edges = { start: at(0), end: at(24 * 60) };

function answer(
  lanes: { device: string; spans: [gap: number, length: number, key: number, cat: number][] }[],
) {
  return {
    range: { start: START },
    keys: ["Code", "afk", "not-afk"],
    categories: [["Work", "Code"]],
    lanes: lanes.map(({ device, spans }) => ({
      device,
      gap: spans.map(([gap]) => us(gap)),
      dur: spans.map(([, length]) => us(length)),
      key: spans.map(([, , key]) => key),
      cat: spans.map(([, , , cat]) => cat),
      n: spans.map(() => 1),
    })),
  };
}

function span(start: number, end: number, isAway = false): Span {
  return { start: at(start), end: at(end), label: "Code", category: undefined, isAway, count: 1 };
}

describe("the lanes of a response", () => {
  it("start each span after the previous one", () => {
    const [lane] = lanesOf(
      answer([
        {
          device: "laptop",
          spans: [
            [60, 30, 0, 0],
            [10, 5, 0, -1],
          ],
        },
      ]),
    );
    expect(lane?.spans.map((each) => [each.start, each.end])).toEqual([
      [at(60), at(90)],
      [at(100), at(105)],
    ]);
    expect(lane?.spans.map((each) => each.category)).toEqual([["Work", "Code"], undefined]);
  });

  it("include the away time of their own device", () => {
    const active = answer([{ device: "laptop", spans: [[60, 30, 0, 0]] }]);
    const away = answer([
      {
        device: "laptop",
        spans: [
          [0, 60, 1, -1],
          [0, 30, 2, -1],
        ],
      },
      { device: "phone", spans: [[0, 10, 1, -1]] },
    ]);
    const lanes = lanesOf(active, away);
    expect(lanes.map((lane) => lane.device)).toEqual(["laptop"]);
    expect(lanes[0]?.spans.map((each) => [each.label, each.isAway])).toEqual([
      ["Away", true],
      ["Code", false],
    ]);
  });

  it("leave out an unused device", () => {
    const active = answer([{ device: "laptop", spans: [] }]);
    expect(lanesOf(active, answer([{ device: "laptop", spans: [[0, 60, 1, -1]] }]))).toEqual([]);
  });
});

describe("positions on a strip", () => {
  it("go from 0 to 1, and no further", () => {
    expect(place(at(12 * 60), edges)).toBe(0.5);
    expect(place(at(-5), edges)).toBe(0);
    expect(momentAt(0.25, edges)).toBe(at(6 * 60));
    expect(momentAt(7, edges)).toBe(edges.end);
    expect(place(5, { start: 5, end: 5 })).toBe(0);
  });

  it("find the span there, or the nearest within reach", () => {
    const spans = [span(0, 10), span(20, 30)];
    expect(spanAt(spans, at(5))).toBe(spans[0]);
    expect(spanAt(spans, at(13))).toBeUndefined();
    expect(spanAt(spans, at(13), 4 * 60_000)).toBe(spans[0]);
    expect(spanAt(spans, at(30))).toBeUndefined();
    expect(spanAt([], at(0), Infinity)).toBeUndefined();
  });

  it("prefer activity to away time", () => {
    const spans = [span(0, 30, true), span(10, 20)];
    expect(spanAt(spans, at(15))).toBe(spans[1]);
  });
});

describe("a selection", () => {
  it("is on whole minutes, ordered, within the day", () => {
    expect(rangeBetween(at(10) + 29_000, at(5) - 29_000, edges)).toEqual({ start: at(5), end: at(10) });
    expect(rangeBetween(at(-60), at(30), edges)).toEqual({ start: at(0), end: at(30) });
    expect(rangeBetween(at(5), at(5) + 10_000, edges)).toBeUndefined();
  });

  it("grows and shrinks at its end with keys", () => {
    const first = grown(undefined, at(60), 300_000, edges);
    expect(first).toEqual({ start: at(60), end: at(65) });
    expect(grown(first, 0, 300_000, edges)).toEqual({ start: at(60), end: at(70) });
    expect(grown(first, 0, -300_000, edges)).toBeUndefined();
    expect(grown(undefined, at(60), -300_000, edges)).toEqual({ start: at(55), end: at(60) });
  });

  it("is restored from the URL, if it is on this day", () => {
    const selection = { start: at(60), end: at(75) };
    expect(parseSelection(selectionText(selection), edges)).toEqual(selection);
    expect(parseSelection(selectionText({ start: at(-10), end: at(5) }), edges)).toBeUndefined();
    for (const text of [null, "", "x~y", selectionText({ start: at(5), end: at(5) }), "2026-03-05T05:00:00Z"])
      expect(parseSelection(text, edges)).toBeUndefined();
  });
});
