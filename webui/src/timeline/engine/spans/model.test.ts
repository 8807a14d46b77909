import { describe, expect, it } from "vitest";
import type { LaneResponse, TimelineResponse } from "../../../core/api/schema";
import { edited, joined, readTile, spanAt, spansOf, Texts, type Span } from "./model";

function lane(changes: Partial<LaneResponse>): LaneResponse {
  return {
    bucket: "window",
    device: "laptop",
    type: "currentwindow",
    events: 0,
    is_exact: true,
    gap: [],
    dur: [],
    key: [],
    share: [],
    cat: [],
    title: [],
    n: [],
    cover: [],
    id: [],
    ...changes,
  };
}

function answer(lanes: LaneResponse[]): TimelineResponse {
  return {
    range: { start: "", end: "", tz: "UTC", day_start: "04:00", week_start: "monday", label: "" },
    px: 512,
    lanes,
    keys: ["Code", "Firefox"],
    truncated_keys: [],
    titles: ["main.py", "News"],
    truncated_titles: [],
    categories: [["Work"], ["Uncategorized"]],
    overview: [],
    nearest: null,
  };
}

const span = (start: number, end: number, changes: Partial<Span> = {}): Span => ({
  start,
  end,
  key: 0,
  cat: 0,
  title: -1,
  n: 1,
  cover: 1,
  share: 1,
  id: 0,
  ...changes,
});

describe("a tile", () => {
  const two = lane({
    gap: [250, -500],
    dur: [1_000, 2_000_001],
    key: [0, -1],
    share: [1, 0.5],
    cat: [1, -1],
    title: [1, -1],
    n: [1, 31],
    cover: [1, 0.5],
    id: [7, null],
  });

  it("has times that are exact to the microsecond, and spans that overlap", () => {
    const start = 1_772_697_600_000;
    const spans = readTile(answer([two]), start, start + 512_000, new Texts()).spans.get("window");
    expect(spans && [...spans.start].map((time) => Math.round(time * 1000) - start * 1000)).toEqual([
      250, 750,
    ]);
    expect(spans && Math.round((spans.end[1] ?? 0) * 1000) - start * 1000).toBe(2_000_751);
    expect(spans && spanAt(spans, 1)).toMatchObject({ key: -1, cat: -1, n: 31, id: 0 });
  });

  it("shares its texts with other tiles", () => {
    const texts = new Texts();
    texts.key("Firefox");
    const { spans } = readTile(answer([two]), 0, 512_000, texts);
    expect(texts.keys[spans.get("window")?.key[0] ?? -1]).toBe("Code");
    expect(texts.keys).toEqual(["Firefox", "Code"]);
  });

  it("calls a lane of a device by the device's name", () => {
    const tile = readTile(answer([lane({ bucket: null })]), 0, 1, new Texts());
    expect(tile.lanes[0]?.id).toBe("laptop");
  });
});

describe("tiles side by side", () => {
  it("make one span of an event that is in both", () => {
    const spans = joined([
      { spans: spansOf([span(10, 100, { id: 5 })]), start: 0, end: 100 },
      { spans: spansOf([span(100, 200, { id: 5 })]), start: 100, end: 200 },
      { spans: spansOf([span(200, 230, { id: 5 }), span(230, 250, { id: 6 })]), start: 200, end: 300 },
    ]);
    expect([...spans.start]).toEqual([10, 230]);
    expect([...spans.end]).toEqual([230, 250]);
  });

  it("leave merged spans and other events apart", () => {
    const spans = joined([
      { spans: spansOf([span(10, 100)]), start: 0, end: 100 },
      { spans: spansOf([span(100, 200)]), start: 100, end: 200 },
    ]);
    expect(spans.size).toBe(2);
  });

  it("cut what a coarser tile has beyond its part", () => {
    const spans = joined([{ spans: spansOf([span(0, 50), span(40, 90), span(95, 99)]), start: 45, end: 80 }]);
    expect([...spans.start]).toEqual([45, 45]);
    expect([...spans.end]).toEqual([50, 80]);
  });
});

describe("a change that is not saved yet", () => {
  it("hides what it deletes and adds what it makes, in order", () => {
    const spans = edited(spansOf([span(0, 10, { id: 1 }), span(20, 30, { id: 2 })]), [
      { lane: "window", hides: ({ id }) => id === 1, added: [span(12, 15, { id: 1 }), span(40, 50)] },
    ]);
    expect([...spans.start]).toEqual([12, 20, 40]);
  });
});
