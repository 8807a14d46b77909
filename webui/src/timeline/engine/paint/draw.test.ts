import { describe, expect, it } from "vitest";
import { rectangles, stripOf, visible } from "./draw";
import { layoutOf } from "./layout";
import { spansOf, Texts, type Lane, type Span } from "../spans/model";
import { inkOn, Painter } from "./paint";
import { contrast, parseHex, type Rgb } from "../../../core/color/contrast";
import { PALETTE } from "../../../core/color/palette";

const lane: Lane = { id: "window", bucket: "window", device: "laptop", type: "currentwindow" };
const away: Lane = { id: "afk", bucket: "afk", device: "laptop", type: "afkstatus" };
const span = (start: number, end: number, changes: Partial<Span> = {}): Span => ({
  ...{ start, end, key: 0, cat: 0, title: -1, n: 1, cover: 1, share: 1, id: 0 },
  ...changes,
});

function texts() {
  const made = new Texts();
  made.key("afk");
  made.key("not-afk");
  made.category(["Work"]);
  made.category(["Uncategorized"]);
  return made;
}
const painter = () => new Painter(texts(), "category");
const view = { start: 0, end: 1000 };

describe("rectangles", () => {
  it("are never more than pixels, however many spans there are", () => {
    const many = spansOf(Array.from({ length: 50_000 }, (_, place) => span(place / 50, place / 50 + 0.3)));
    const found = rectangles([stripOf(lane, many, painter())], layoutOf([lane], 28), view, 400);
    expect(found.most).toBeLessThanOrEqual(400);
    expect(found.count).toBeGreaterThan(300);
  });

  it("leave two pixels between neighbors if there is space", () => {
    const two = spansOf([span(0, 500), span(500, 1000)]);
    const found = rectangles([stripOf(lane, two, painter())], layoutOf([lane], 28), view, 100);
    const [x, , width, , next] = found.byPaint.flat();
    expect([x, width, next]).toEqual([0, 48, 50]);
  });

  it("are at least a pixel wide, and end where the screen ends", () => {
    const spans = spansOf([span(-500, 10), span(500, 500.001), span(990, 5000)]);
    const found = rectangles([stripOf(lane, spans, painter())], layoutOf([lane], 28), view, 1000);
    const list = found.byPaint.flat();
    expect(list.filter((_, place) => place % 4 === 0)).toEqual([0, 500, 990]);
    expect(list.filter((_, place) => place % 4 === 2)).toEqual([8, 1, 10]);
  });

  it("have a label from forty pixels on", () => {
    const spans = spansOf([span(0, 39), span(100, 140, { n: 31 })]);
    const found = rectangles([stripOf(lane, spans, painter())], layoutOf([lane], 28), view, 1000);
    expect(found.labels).toMatchObject([{ x: 100, n: 31 }]);
  });
});

describe("what is seen", () => {
  it("is a long span that began far before, too", () => {
    const strip = stripOf(
      lane,
      spansOf([span(-900, 2000), span(-800, -700), span(10, 20), span(5000, 6000)]),
      painter(),
    );
    expect(visible(strip, view)).toEqual([0, 3]);
  });
});

describe("paint", () => {
  const colors = { of: () => "#315cbf", isNone: (path: readonly string[]) => path[0] === "Uncategorized" };

  it("hatches what has no category and time away, and draws time at the device as a line", () => {
    const made = painter();
    const numbers = [
      made.number(lane, { key: 0, cat: 0 }),
      made.number(lane, { key: 0, cat: 1 }),
      made.number(away, { key: 0, cat: -1 }),
      made.number(away, { key: 1, cat: -1 }),
    ];
    const paints = made.paints("light", colors);
    expect(numbers.map((number) => paints[number]?.isHatched)).toEqual([false, true, true, false]);
    expect(numbers.map((number) => paints[number]?.isLine)).toEqual([false, false, false, true]);
  });

  it("gives the same text the same color, and what shows nothing none", () => {
    const made = new Painter(texts(), "key");
    expect(made.number(lane, { key: 0, cat: 0 })).toBe(made.number(lane, { key: 0, cat: 1 }));
    expect(made.number(lane, { key: -1, cat: 0 })).toBe(0);
  });

  it("writes so that it can be read on every color", () => {
    for (const fill of [...PALETTE.light, ...PALETTE.dark])
      expect(contrast(parseHex(fill) as Rgb, parseHex(inkOn(fill)) as Rgb)).toBeGreaterThanOrEqual(4.5);
  });
});
