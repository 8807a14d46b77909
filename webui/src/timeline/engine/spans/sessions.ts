// Sessions as spans of the lane above all others.
import type { ActivitySession } from "../../../core/api/schema";
import { isUncategorized } from "../../../core/text/paths";
import { spansOf, type Spans, type Texts } from "./model";

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
