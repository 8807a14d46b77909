// The week as a picture: the same shapes on the page, in the exported document and in the copied image.
import { t } from "../../core/i18n/translate.svelte";
import type { Path, Theme } from "../../core/color/palette";
import { pathLabel } from "../../core/text/paths";
import { duration } from "../../core/time/duration";
import { dayAndMonth, weekdayAndDay } from "../../core/time/names";
import { shortDay, timeOfDay } from "../../core/time/zone";
import type { Review } from "./model";
import { differenceText } from "./text";

export type Shape =
  | {
      readonly kind: "rect";
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
      readonly fill: string;
    }
  | {
      readonly kind: "text";
      readonly x: number;
      readonly y: number;
      readonly text: string;
      readonly size: number;
      readonly isBold: boolean;
      readonly fill: string;
      readonly anchor: "start" | "middle" | "end";
    };

export interface Card {
  readonly width: number;
  readonly height: number;
  readonly background: string;
  readonly shapes: readonly Shape[];
}

export interface CardLook {
  readonly width: number;
  readonly theme: Theme;
  readonly colorOf: (path: Path | undefined, app?: string | null) => string;
  /** Most time has no category: apps have the colors, and the headline names one. */
  readonly isByApp: boolean;
  /** The name of the week, unless it stands above the card. */
  readonly hasLabel: boolean;
  /** What was done is only named where that was chosen. */
  readonly showsTitles: boolean;
}

const INKS = {
  light: { surface: "#ffffff", text: "#171b22", muted: "#4d5666", line: "#d8dce4", bar: "#6686e0", now: "#2f55c8" },
  dark: { surface: "#171b22", text: "#e8ebf0", muted: "#aab3c0", line: "#2f3743", bar: "#4f72cc", now: "#8eabff" },
} as const; // prettier-ignore

const EDGE = 20;
const RIBBON = 22;
const RIBBON_STEP = 30;
const BARS = 56;
/** A letter is about as wide as half of its size. */
const LETTER = 0.54;

/** The shapes of the card, from top to bottom. */
export function reviewCard(
  review: Review,
  { width, theme, colorOf, isByApp, hasLabel, showsTitles }: CardLook,
): Card {
  const ink = INKS[theme];
  const shapes: Shape[] = [];
  const inner = width - 2 * EDGE;
  let y = EDGE;

  function text(content: string, size: number, options: Partial<Extract<Shape, { kind: "text" }>> = {}) {
    shapes.push({
      kind: "text",
      x: EDGE,
      y: y + size,
      size,
      text: content,
      isBold: false,
      fill: ink.text,
      anchor: "start",
      ...options,
    });
  }
  const line = (content: string, size: number, options: Partial<Extract<Shape, { kind: "text" }>> = {}) => {
    for (const each of wrapped(content, inner, size)) {
      text(each, size, options);
      y += Math.round(size * 1.45);
    }
  };

  const isNarrow = width < 500;
  if (hasLabel) line(review.label, 13, { fill: ink.muted });
  line(headline(review, isByApp), isNarrow ? 16 : 26, { isBold: true });
  if (review.typical !== undefined) line(differenceText(review), 13, { fill: ink.muted });
  y += 10;

  // Seven ribbons: the hours of the week that were used, from left to right.
  const names = isNarrow ? 52 : 64;
  const totals = 64;
  const [from, to] = hoursOf(review);
  const scale = (inner - names - totals) / Math.max(1, to - from);
  for (const day of review.days) {
    shapes.push({
      kind: "rect",
      x: EDGE + names,
      y: y + RIBBON - 1,
      width: inner - names - totals,
      height: 1,
      fill: ink.line,
    });
    const middle = { y: y + 16, size: 13 };
    text(weekdayAndDay(day.start, review.range.tz), 13, { ...middle, fill: ink.muted });
    for (const span of day.spans) {
      const left = EDGE + names + (span.from - from) * scale;
      const size = Math.max(1, (span.to - span.from) * scale - 0.5);
      shapes.push({
        kind: "rect",
        x: round(left),
        y,
        width: round(size),
        height: RIBBON - 2,
        fill: colorOf(span.path, span.app),
      });
    }
    shapes.push({
      kind: "text",
      x: width - EDGE,
      ...middle,
      text: day.seconds > 0 ? duration(day.seconds) : "–",
      isBold: true,
      fill: day.seconds > 0 ? ink.text : ink.muted,
      anchor: "end",
    });
    y += RIBBON_STEP;
  }
  const start = Date.parse(review.range.start);
  for (let hour = Math.ceil(from / 4) * 4; hour <= to; hour += 4)
    shapes.push({
      kind: "text",
      x: round(EDGE + names + (hour - from) * scale),
      y: y + 8,
      size: 11,
      text: timeOfDay(start + hour * 3_600_000, review.range.tz),
      isBold: false,
      fill: ink.muted,
      anchor: "middle",
    });
  y += 26;

  // What the colors are.
  let x = EDGE;
  const legend = isByApp
    ? review.apps.map(({ name, seconds }) => ({ name, seconds, fill: colorOf(undefined, name) }))
    : review.top.map(({ path, seconds }) => ({ name: pathLabel(path), seconds, fill: colorOf(path) }));
  for (const row of legend.slice(0, 5)) {
    const label = shortened(`${row.name} ${duration(row.seconds)}`, inner - 18, 13);
    const size = 18 + label.length * 13 * LETTER;
    if (x > EDGE && x + size > width - EDGE) {
      x = EDGE;
      y += 20;
    }
    shapes.push({ kind: "rect", x: round(x), y: y + 3, width: 10, height: 10, fill: row.fill });
    text(label, 13, { x: round(x + 16), y: y + 13 });
    x += size + 18;
  }
  y += 38;

  for (const [name, content] of facts(review, showsTitles)) {
    line(name, 12, { fill: ink.muted });
    line(content, isNarrow ? 13 : 15, { isBold: true });
    y += 6;
  }

  if (review.trend.length > 1) {
    line(t("review.theLastWeeks", { count: review.trend.length }), 12, { fill: ink.muted });
    y += 4;
    const most = Math.max(...review.trend.map(({ seconds }) => seconds), 1);
    const slot = inner / review.trend.length;
    review.trend.forEach((week, place) => {
      const high = Math.max(week.seconds > 0 ? 2 : 0, (week.seconds / most) * BARS);
      const left = EDGE + place * slot;
      const isLast = place === review.trend.length - 1;
      shapes.push({
        kind: "rect",
        x: round(left),
        y: round(y + BARS - high),
        width: round(slot - 8),
        height: round(high),
        fill: isLast ? ink.now : ink.bar,
      });
      const under = { size: 11, anchor: "middle" as const, x: round(left + (slot - 8) / 2) };
      shapes.push({
        kind: "text",
        ...under,
        y: y + BARS + 16,
        text: `${Math.round(week.seconds / 3600)}h`,
        isBold: isLast,
        fill: ink.text,
      });
      if (slot >= 56)
        shapes.push({
          kind: "text",
          ...under,
          y: y + BARS + 30,
          text: dayAndMonth(week.start, review.range.tz),
          isBold: false,
          fill: ink.muted,
        });
    });
    y += BARS + (slot >= 56 ? 36 : 22);
  }
  return { width, height: Math.round(y + EDGE - 6), background: ink.surface, shapes };
}

/** "26h 24m, mostly Work › Code"; an app is named if most time has no category. */
export function headline({ top, apps, active }: Review, isByApp: boolean): string {
  const first = isByApp ? apps[0]?.name : top[0] && pathLabel(top[0].path);
  return first ? t("review.headline", { duration: duration(active), category: first }) : duration(active);
}

function facts(review: Review, showsTitles: boolean): (readonly [string, string])[] {
  const { focus, streaks, range } = review;
  const found: (readonly [string, string])[] = [];
  if (focus) {
    const title = showsTitles && focus.title ? ` · ${focus.title}` : "";
    const when = `${shortDay(focus.start, range.tz)}, ${timeOfDay(focus.start, range.tz)} – ${timeOfDay(focus.end, range.tz)}`;
    found.push([
      t("review.bestFocus"),
      `${duration(focus.seconds)} · ${pathLabel(focus.path)} · ${when}${title}`,
    ]);
  }
  for (const streak of streaks.slice(0, 3))
    found.push([
      streak.name,
      streak.per === "day"
        ? t("review.daysInARow", { count: streak.count })
        : t("review.weeksInARow", { count: streak.count }),
    ]);
  return found;
}

/** The hours that the ribbons reach over, since the start of the day. */
function hoursOf({ days }: Review): [number, number] {
  const spans = days.flatMap((day) => day.spans);
  if (spans.length === 0) return [0, 24];
  const from = Math.floor(Math.min(...spans.map((span) => span.from)));
  return [from, Math.max(from + 1, Math.ceil(Math.max(...spans.map((span) => span.to))))];
}

const round = (value: number) => Math.round(value * 10) / 10;

function shortened(text: string, width: number, size: number): string {
  const most = Math.floor(width / (size * LETTER));
  return text.length <= most ? text : `${text.slice(0, Math.max(1, most - 1)).trimEnd()}…`;
}

/** A text in as many lines as it needs; only a word that is longer than a line is cut. */
function wrapped(text: string, width: number, size: number): string[] {
  const most = Math.floor(width / (size * LETTER));
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= most)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(shortened(word, width, size));
  }
  return lines;
}

const FONT = `"Geist Variable", system-ui, sans-serif`;

/** The card as SVG, which needs nothing from elsewhere. */
export function cardSvg({ width, height, background, shapes }: Card, label: string): string {
  const parts = shapes.map((shape) =>
    shape.kind === "rect"
      ? `<rect x="${shape.x}" y="${shape.y}" width="${shape.width}" height="${shape.height}" fill="${shape.fill}" rx="${Math.min(2, shape.height / 2)}"/>`
      : `<text x="${shape.x}" y="${shape.y}" font-size="${shape.size}"${shape.isBold ? ' font-weight="600"' : ""} fill="${shape.fill}" text-anchor="${shape.anchor}">${escaped(shape.text)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="${escaped(label)}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="${escaped(FONT)}"><rect width="${width}" height="${height}" fill="${background}"/>${parts.join("")}</svg>`;
}

/** The card as an image in twice its size. */
export async function cardImage({ width, height, background, shapes }: Card): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = width * 2;
  canvas.height = height * 2;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("there is no canvas");
  context.scale(2, 2);
  context.fillStyle = background;
  context.fillRect(0, 0, width, height);
  for (const shape of shapes) {
    context.fillStyle = shape.fill;
    if (shape.kind === "rect") {
      context.beginPath();
      context.roundRect(shape.x, shape.y, shape.width, shape.height, Math.min(2, shape.height / 2));
      context.fill();
    } else {
      context.font = `${shape.isBold ? 600 : 400} ${shape.size}px ${FONT}`;
      context.textAlign = shape.anchor === "middle" ? "center" : shape.anchor;
      context.fillText(shape.text, shape.x, shape.y);
    }
  }
  return await new Promise((done, fail) =>
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("there is no image"))), "image/png"),
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text as it is written in HTML. */
export function escaped(plain: string): string {
  return plain.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
