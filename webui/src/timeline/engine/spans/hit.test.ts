import { describe, expect, it } from "vitest";
import { hit, nearest, placeOfSpan } from "./hit";
import { spansOf, type Span } from "./model";
import { laneAt, laneName, layoutOf } from "../paint/layout";

const span = (start: number, end: number, id = 0): Span => ({
  ...{ start, end, key: 0, cat: 0, title: -1, n: 1, cover: 1, share: 1 },
  id,
});
const spans = spansOf([span(0, 1000, 1), span(100, 200, 2), span(300, 310, 3), span(2000, 2100, 4)]);

describe("what is under the pointer", () => {
  it("is the span that is drawn last", () => expect(hit(spans, 150, 5)).toBe(1));
  it("is the long one where the short ones are not", () => expect(hit(spans, 250, 5)).toBe(0));
  it("is the nearest one within reach", () => {
    expect(hit(spans, 1995, 10)).toBe(3);
    expect(hit(spans, 2105, 10)).toBe(3);
  });
  it("is nothing where nothing is near", () => expect(hit(spans, 1500, 10)).toBe(-1));
});

describe("a span", () => {
  it("is found again by its event, else by its start", () => {
    expect(placeOfSpan(spans, 3, 0)).toBe(2);
    expect(placeOfSpan(spans, 0, 2000)).toBe(3);
    expect(placeOfSpan(spans, 99, 7)).toBe(-1);
  });
  it("of another lane is the nearest in time", () => {
    expect(nearest(spans, 1900)).toBe(3);
    expect(nearest(spans, 320)).toBe(2);
    expect(nearest(spansOf([]), 1)).toBe(-1);
  });
});

describe("lanes", () => {
  const lane = (bucket: string | null, device: string, type: string) => ({
    id: bucket ?? device,
    bucket,
    device,
    type,
  });
  it("stand under the name of their device", () => {
    const layout = layoutOf([lane("a", "laptop", "currentwindow"), lane("b", "phone", "currentwindow")], 28);
    expect(layout.rows.map(({ kind, device }) => `${kind} ${device}`)).toEqual([
      "device laptop",
      "lane laptop",
      "device phone",
      "lane phone",
    ]);
    expect(laneAt(layout, layout.lanes[1]?.top ?? 0)).toBe(1);
    expect(laneAt(layout, 1)).toBe(-1);
  });
  it("need no heading where each is a device", () =>
    expect(layoutOf([lane(null, "laptop", "")], 28).rows.map(({ kind }) => kind)).toEqual(["lane"]));
  it.each([
    ["aw-watcher-window_laptop", "currentwindow", "Apps"],
    ["aw-watcher-web-firefox_laptop", "web.tab.current", "Browser"],
    ["aw-watcher-vscode_laptop", "app.editor.activity", "Editor"],
    ["my-bucket", "own.type", "own.type"],
    ["my-bucket", "", "my-bucket"],
  ])("%s of the type %s is called %s", (bucket, type, name) =>
    expect(laneName(lane(bucket, "laptop", type))).toBe(name),
  );
  it("have the name of the browser if a device has several", () => {
    const browsers = ["aw-watcher-web-firefox_laptop", "aw-watcher-web-chrome_laptop"].map((bucket) =>
      lane(bucket, "laptop", "web.tab.current"),
    );
    expect(browsers.map((each) => laneName(each, browsers))).toEqual([
      "Browser · firefox",
      "Browser · chrome",
    ]);
  });
  it("fill the screen, and collapse if they are empty", () => {
    const three = ["a", "b", "c"].map((bucket) => lane(bucket, "laptop", "currentwindow"));
    const [least, filled] = [layoutOf(three, 28), layoutOf(three, 28, { minHeight: 190 })];
    expect(least.lanes.map(({ height }) => height)).toEqual([28, 28, 28]);
    expect(filled.lanes.map(({ height }) => height)).toEqual([50, 50, 50]);
    expect(filled.height).toBeLessThanOrEqual(190);
    const some = layoutOf(three, 28, { minHeight: 190, empty: new Set(["b"]) });
    const [first, second, third] = some.lanes.map(({ height }) => height);
    expect([first, third]).toEqual([64, 64]);
    expect(second).toBeLessThan(20);
    const desktop = lane("d", "desktop", "currentwindow");
    const nothing = layoutOf([...three, desktop], 28, { empty: new Set(["d"]) });
    expect(nothing.lanes.at(-1)?.height).toBe(0);
  });
});
