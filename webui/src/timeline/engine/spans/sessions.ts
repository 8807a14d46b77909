// Sessions as spans of the lane above all others, and the weeks in which they are loaded.
import type { ActivitySession } from "../../../core/api/schema";
import { momentOf, offsetAt } from "../../../core/time/offset";
import { isUncategorized } from "../../../core/text/paths";
import { spansOf, type Spans, type Texts } from "./model";
import type { Viewport } from "../viewport/viewport";

const DAY = 86_400_000;
const MONDAY = 4 * DAY; // 5 January 1970 was a Monday
/** On a longer screen lanes and sessions are too narrow to be read: it has days instead. */
export const LONGEST = 8 * DAY;

export function sessionSpans(sessions: readonly ActivitySession[], texts: Texts): Spans {
  return spansOf(
    sessions
      .map(({ start, end, ...session }) => ({ start, end, ...session, name: sessionName(session) }))
      .map(({ start, end, app, name, category }) => ({
        start: Date.parse(start),
        end: Date.parse(end),
        key: app === null ? -1 : texts.key(app),
        title: name === null ? -1 : texts.title(name),
        cat: texts.category(category),
        n: 1,
        cover: 1,
        share: 1,
        id: 0,
      }))
      .sort((one, other) => one.start - other.start),
  );
}

/** The name of a session: its title, and without a category also its app. */
export function sessionName({
  app,
  title,
  category,
}: Pick<ActivitySession, "app" | "title" | "category">): string | null {
  return app && title && isUncategorized(category) ? `${app} · ${title}` : title;
}

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
