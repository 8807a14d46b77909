// The weeks in which sessions are loaded, and days as a calendar grid: a column for each, sessions as blocks.
import { momentOf, offsetAt } from "../../../core/time/offset";
import type { Viewport } from "./viewport";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const SNAP = 5 * 60_000;
const MONDAY = 4 * DAY; // 5 January 1970 was a Monday
/** On a longer screen lanes and sessions are too narrow to be read: it has days instead. */
export const LONGEST = 8 * DAY;

/** The weeks of a zone that a viewport reaches into, each from Monday at the start of the day; none if it is too long. */
export function weeksOf(viewport: Viewport, zone: string, dayStart: string): Viewport[] {
  if (viewport.end - viewport.start > LONGEST) return [];
  const [hours = 0, minutes = 0] = dayStart.split(":").map(Number);
  const shift = MONDAY + (60 * hours + minutes) * 60_000;
  const wall = viewport.start + offsetAt(viewport.start, zone) - shift;
  const weeks: Viewport[] = [];
  for (let week = Math.floor(wall / (7 * DAY)); ; week += 1) {
    const start = momentOf(week * 7 * DAY + shift, zone);
    if (start >= viewport.end) return weeks;
    weeks.push({ start, end: momentOf((week + 1) * 7 * DAY + shift, zone) });
  }
}

export interface Block<T> {
  readonly session: T;
  /** Hours since the start of the day. */
  readonly top: number;
  readonly height: number;
}

export interface Column<T> {
  readonly start: number;
  readonly end: number;
  readonly blocks: readonly Block<T>[];
}

/** The days from `start`, with their sessions; one that crosses the start of a day is in both. */
export function columnsOf<T extends Viewport>(
  start: number,
  zone: string,
  sessions: readonly T[],
  days = 7,
): Column<T>[] {
  const wall = start + offsetAt(start, zone);
  return Array.from({ length: days }, (_, place) => {
    const [from, to] = [momentOf(wall + place * DAY, zone), momentOf(wall + (place + 1) * DAY, zone)];
    return {
      start: from,
      end: to,
      blocks: sessions
        .filter((session) => session.start < to && session.end > from)
        .map((session) => {
          const [top, bottom] = [Math.max(session.start, from), Math.min(session.end, to)];
          return { session, top: (top - from) / HOUR, height: (bottom - top) / HOUR };
        }),
    };
  });
}

/** The hours to show, since the start of the day: those with sessions, and at least ten. */
export function hoursOf(columns: readonly Column<unknown>[]): { first: number; last: number } {
  const blocks = columns.flatMap((column) => column.blocks);
  if (blocks.length === 0) return { first: 4, last: 14 };
  const first = Math.floor(Math.min(...blocks.map(({ top }) => top)));
  const end = Math.ceil(Math.max(...blocks.map(({ top, height }) => top + height)));
  const last = Math.max(end, Math.min(24, first + 10));
  return { first: Math.min(first, last - 10), last };
}

/** The time between two hours of a day, to five minutes, and at least that long. */
export function draggedRange(column: Viewport, one: number, other: number): Viewport {
  const time = (hours: number) =>
    Math.min(column.end, Math.max(column.start, column.start + Math.round((hours * HOUR) / SNAP) * SNAP));
  const [start, end] = [time(Math.min(one, other)), time(Math.max(one, other))];
  return { start, end: Math.max(end, start + SNAP) };
}
