// From spans to rectangles, and from those to a canvas: as few changes of color as there are colors.
import type { SpanText } from "./describe";
import { DAYS, type Layout } from "./layout";
import { fullest, type Days } from "../spans/days";
import type { Lane, Spans } from "../spans/model";
import type { Paint, Painter } from "./paint";
import type { Viewport } from "../viewport/viewport";

/** The spans of a lane, ready to be drawn. */
export interface Strip {
  readonly lane: Lane;
  readonly spans: Spans;
  readonly paint: Uint16Array;
  /** The latest end of a span and all before it, by which the first one that is seen is found. */
  readonly reach: Float64Array;
  /** Of days: the parts of each column from the ground up, as paints and shares of the height. */
  readonly columns?: readonly (readonly ColumnPart[])[];
}

export interface ColumnPart {
  readonly paint: number;
  readonly share: number;
}

/** The columns of days, as high as the fullest of them. */
export function daysStrip(days: Days, painter: Painter): Strip {
  const most = fullest(days);
  const columns = days.parts.map((parts, place) => {
    const length = ((days.spans.end[place] ?? 0) - (days.spans.start[place] ?? 0)) / 1000;
    return parts.map((part) => ({
      paint: painter.number(DAYS, part),
      share: part.seconds / Math.max(1, length) / most,
    }));
  });
  return { ...stripOf(DAYS, days.spans, painter), columns };
}

export function stripOf(lane: Lane, spans: Spans, painter: Painter): Strip {
  const paint = new Uint16Array(spans.size);
  const reach = new Float64Array(spans.size);
  let latest = -Infinity;
  const span = { key: -1, cat: -1 };
  for (let place = 0; place < spans.size; place += 1) {
    span.key = spans.key[place] ?? -1;
    span.cat = spans.cat[place] ?? -1;
    paint[place] = painter.number(lane, span);
    latest = Math.max(latest, spans.end[place] ?? 0);
    reach[place] = latest;
  }
  return { lane, spans, paint, reach };
}

/** The places of the spans that reach into a stretch: from the first to before the second. */
export function visible({ spans, reach }: Strip, { start, end }: Viewport): [number, number] {
  return [
    search(spans.size, (place) => (reach[place] ?? 0) >= start),
    search(spans.size, (place) => (spans.start[place] ?? 0) >= end),
  ];
}

/** The ids of the lanes without a span in a stretch. */
export function emptyLanes(strips: readonly Strip[], viewport: Viewport): string[] {
  return strips
    .filter((strip) => {
      const [from, to] = visible(strip, viewport);
      return from >= to;
    })
    .map(({ lane }) => lane.id);
}

function search(size: number, isThere: (place: number) => boolean): number {
  let [low, high] = [0, size];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isThere(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

export interface Label {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly key: number;
  readonly title: number;
  readonly n: number;
  readonly paint: number;
  readonly type: string;
}

export interface Rectangles {
  /** For each paint: x, y, width, height of each of its rectangles, one after the other. */
  readonly byPaint: number[][];
  readonly labels: Label[];
  readonly count: number;
  /** The most that one lane has. */
  readonly most: number;
}

const LABEL_FROM = 40;

/** The rectangles to draw: at most one per pixel and lane, with gaps between them if there is space. */
export function rectangles(
  strips: readonly Strip[],
  layout: Layout,
  viewport: Viewport,
  width: number,
): Rectangles {
  const byPaint: number[][] = [];
  const labels: Label[] = [];
  const scale = width / (viewport.end - viewport.start);
  let count = 0;
  let most = 0;
  strips.forEach((strip, lane) => {
    const row = layout.lanes[lane];
    if (!row || row.height === 0) return;
    const { spans, paint } = strip;
    const [from, to] = visible(strip, viewport);
    let lastLeft = -1;
    let lastRight = -1;
    let drawn = 0;
    for (let place = from; place < to && drawn < width; place += 1) {
      const x0 = ((spans.start[place] ?? 0) - viewport.start) * scale;
      const x1 = ((spans.end[place] ?? 0) - viewport.start) * scale;
      const left = Math.max(0, Math.round(x0));
      const right = Math.min(width, Math.max(left + 1, Math.round(x1)));
      // It ends where the screen begins.
      if (x0 < 0 && x1 <= 0) continue;
      // Nothing of it would be seen: another one has this pixel.
      if (
        right <= left ||
        (left === lastLeft && right <= lastRight) ||
        (right - left <= 1 && left < lastRight)
      )
        continue;
      lastLeft = left;
      lastRight = Math.max(lastRight, right);
      const size = right - left;
      const gap = right >= width ? 0 : size >= 8 ? 2 : size >= 4 ? 1 : 0;
      const number = paint[place] ?? 0;
      const column = strip.columns?.[place];
      if (column) {
        stack(byPaint, column, {
          x: left,
          width: size - gap,
          bottom: row.top + row.height,
          height: row.height,
        });
        drawn += 1;
        continue;
      }
      (byPaint[number] ??= []).push(left, row.top, size - gap, row.height);
      if (size >= LABEL_FROM)
        labels.push({
          x: left,
          y: row.top,
          width: size - gap,
          height: row.height,
          key: spans.key[place] ?? -1,
          title: spans.title[place] ?? -1,
          n: spans.n[place] ?? 1,
          paint: number,
          type: strip.lane.type,
        });
      drawn += 1;
    }
    count += drawn;
    most = Math.max(most, drawn);
  });
  return { byPaint, labels, count, most };
}

interface Area {
  readonly x: number;
  readonly width: number;
  readonly bottom: number;
  readonly height: number;
}

/** Narrower columns have no lines between their parts. */
const SEPARATE = 6;

function stack(byPaint: number[][], column: readonly ColumnPart[], { x, width, bottom, height }: Area): void {
  let share = 0;
  for (const part of column) {
    const low = Math.round(bottom - share * height);
    share += part.share;
    const high = Math.round(bottom - share * height);
    // A line of the ground between the parts, if there is space.
    const gap = width >= SEPARATE && low - high >= 4 ? 1 : 0;
    if (low > high) (byPaint[part.paint] ??= []).push(x, high, Math.max(1, width), low - high - gap);
  }
}

export interface Look {
  readonly paints: readonly Paint[];
  readonly surface: string;
  readonly font: string;
  /** The lines of a label; undefined if titles are hidden. */
  readonly textOf: (label: Label) => SpanText | undefined;
}

const LINE_HEIGHT = 6;

export function drawSpans(
  context: CanvasRenderingContext2D,
  { byPaint, labels }: Rectangles,
  look: Look,
  offset: number,
): void {
  const hatch = hatching(context, look.surface, offset);
  byPaint.forEach((list, number) => {
    const paint = look.paints[number];
    if (!paint) return;
    context.fillStyle = paint.fill;
    fillAll(context, list, paint.isLine);
    if (paint.isHatched && hatch) {
      context.fillStyle = hatch;
      fillAll(context, list, paint.isLine);
    }
  });
  context.font = look.font;
  context.textBaseline = "middle";
  for (const label of labels) drawLabel(context, label, look);
}

function fillAll(context: CanvasRenderingContext2D, list: readonly number[], isLine: boolean): void {
  for (let place = 0; place < list.length; place += 4) {
    const [x = 0, y = 0, width = 0, height = 0] = [
      list[place],
      list[place + 1],
      list[place + 2],
      list[place + 3],
    ];
    if (isLine) context.fillRect(x, y + (height - LINE_HEIGHT) / 2, width, LINE_HEIGHT);
    else context.fillRect(x, y, width, height);
  }
}

const PADDING = 6;
const LINE = 16;
/** The height from which a label has its app in a second line. */
const TWO_LINES = 38;

function drawLabel(context: CanvasRenderingContext2D, label: Label, look: Look): void {
  const paint = look.paints[label.paint];
  if (!paint || paint.isLine) return;
  const text = look.textOf(label);
  if (!text || label.height < LINE) return;
  const available = label.width - 2 * PADDING;
  const hasTwoLines = label.height >= TWO_LINES;
  const lines = [text.title, ...(hasTwoLines ? [text.app] : [])]
    .map((line) => shortened(context, line, available))
    .filter((line) => line !== "");
  if (lines.length === 0) return;
  if (paint.isHatched) {
    context.fillStyle = paint.fill;
    const widest = Math.max(...lines.map((line) => widthOf(context, line)));
    context.fillRect(label.x, label.y, widest + 2 * PADDING, label.height);
  }
  context.fillStyle = paint.ink;
  const top = label.y + label.height / 2 + 0.5 - ((lines.length - 1) * LINE) / 2;
  lines.forEach((line, place) => context.fillText(line, label.x + PADDING, top + place * LINE));
}

const widths = new Map<string, number>();

function widthOf(context: CanvasRenderingContext2D, text: string): number {
  const name = context.font + text;
  let width = widths.get(name);
  if (width === undefined) {
    if (widths.size > 4000) widths.clear();
    width = context.measureText(text).width;
    widths.set(name, width);
  }
  return width;
}

/** As much of a text as fits; nothing if only a letter or two would. */
function shortened(context: CanvasRenderingContext2D, text: string, available: number): string {
  const whole = widthOf(context, text);
  if (whole <= available) return text;
  const letters = Array.from(text);
  let count = Math.floor((letters.length * available) / whole) - 1;
  for (; count >= 2; count -= 1) {
    const shorter = `${letters.slice(0, count).join("").trimEnd()}…`;
    if (widthOf(context, shorter) <= available) return shorter;
  }
  return "";
}

const HATCH = 8;
let hatchTile: { readonly surface: string; readonly canvas: HTMLCanvasElement } | undefined;

/** Stripes in the color of the ground, which move with the spans. */
function hatching(context: CanvasRenderingContext2D, surface: string, offset: number): CanvasPattern | null {
  if (hatchTile?.surface !== surface) {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = HATCH;
    const own = canvas.getContext("2d");
    if (!own) return null;
    own.strokeStyle = surface;
    own.globalAlpha = 0.6;
    own.lineWidth = 2.5;
    own.beginPath();
    for (const shift of [-HATCH, 0, HATCH]) {
      own.moveTo(shift - 1, HATCH + 1);
      own.lineTo(shift + HATCH + 1, -1);
    }
    own.stroke();
    hatchTile = { surface, canvas };
  }
  const pattern = context.createPattern(hatchTile.canvas, "repeat");
  pattern?.setTransform(new DOMMatrix().translate(offset % HATCH, 0));
  return pattern;
}
