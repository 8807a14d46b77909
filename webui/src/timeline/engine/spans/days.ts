// Beyond a week: a column for each day instead of lanes, with the parts of the day on top of each other.
import type { Series } from "../../../core/api/schema";
import { momentOf, offsetAt } from "../../../core/time/offset";
import type { Viewport } from "../viewport/viewport";
import { LONGEST } from "../viewport/week";
import { spansOf, type Spans, type Texts } from "./model";

const DAY = 86_400_000;
/** Beyond this many days a column is a week. */
const MOST_DAYS = 1000;
/** A column is as high as the row if so much of its day is active, however short the days on the screen are. */
const LEAST_FULL = 1 / 24;

/** A part of a column: what it is, and its seconds. */
export interface DayPart {
  readonly key: number;
  readonly cat: number;
  readonly seconds: number;
}

export interface Days {
  readonly spans: Spans;
  /** The parts of each column, the largest of the whole range first. */
  readonly parts: readonly (readonly DayPart[])[];
}

export function isByDay({ start, end }: Viewport): boolean {
  return end - start > LONGEST;
}

export interface DaysRange extends Viewport {
  readonly bin: "day" | "week";
}

/** The range to load: whole days around the viewport, the same for most of its moves. */
export function daysAround(viewport: Viewport, zone: string, dayStart: string): DaysRange {
  const size = viewport.end - viewport.start;
  const [hours = 0, minutes = 0] = dayStart.split(":").map(Number);
  const shift = (60 * hours + minutes) * 60_000;
  let unit = 28 * DAY;
  while (unit < size / 4) unit *= 2;
  const aligned = (moment: number, round: (value: number) => number) => {
    const wall = moment + offsetAt(moment, zone) - shift;
    return momentOf(round(wall / unit) * unit + shift, zone);
  };
  return {
    start: aligned(viewport.start - size / 2, Math.floor),
    end: aligned(viewport.end + size / 2, Math.ceil),
    bin: size > MOST_DAYS * DAY ? "week" : "day",
  };
}

export function daysOf(series: Pick<Series, "edges" | "keys" | "values" | "other">, texts: Texts): Days {
  const numbered = series.keys.map((key) =>
    typeof key === "string" ? { key: texts.key(key), cat: -1 } : { key: -1, cat: texts.category(key) },
  );
  const edges = series.edges.map((edge) => Date.parse(edge));
  const columns = edges.slice(0, -1).flatMap((start, place) => {
    const end = edges[place + 1] ?? start;
    const parts: DayPart[] = [
      ...numbered.map((key, row) => ({ ...key, seconds: series.values[row]?.[place] ?? 0 })),
      { key: -1, cat: -1, seconds: series.other[place] ?? 0 },
    ].filter(({ seconds }) => seconds > 0);
    const seconds = parts.reduce((sum, part) => sum + part.seconds, 0);
    return seconds > 0 ? [{ start, end, parts, cover: (1000 * seconds) / (end - start) }] : [];
  });
  return {
    spans: spansOf(
      columns.map(({ start, end, parts, cover }) => {
        const largest = parts.reduce((one, other) => (other.seconds > one.seconds ? other : one));
        return { start, end, key: largest.key, cat: largest.cat, title: -1, n: 1, cover, share: 1, id: 0 };
      }),
    ),
    parts: columns.map(({ parts }) => parts),
  };
}

/** The part of a column that fills the row: that of the fullest day of a viewport. */
export function fullest({ spans }: Pick<Days, "spans">): number {
  let most = LEAST_FULL;
  for (let place = 0; place < spans.size; place += 1) most = Math.max(most, spans.cover[place] ?? 0);
  return most;
}
