// The calls of the timeline: its tiles, what is around them, and what is nearest to an empty stretch.
import { api, body } from "../core/api/client";
import { preferences } from "../core/api/preferences.svelte";
import { queries, rangeQuery, type SeriesQuery, type TimelineQuery } from "../core/api/queries";
import type { TimelineResponse } from "../core/api/schema";
import { dayOf } from "../core/time/zone";
import { formatFilter, type View } from "../core/url/view";
import { moment, type Viewport } from "./engine/viewport/viewport";

/** The zone, devices and filters of every request. */
export const commonOf = ({ devices, filters }: View) => ({
  tz: preferences.zone,
  ...(devices.length ? { device: [...devices] } : {}),
  ...(filters.length ? { filter: filters.map(formatFilter) } : {}),
});

/** What all tiles of a timeline have in common. */
export type TileQuestion = Pick<TimelineQuery, "lanes" | "color" | "device" | "filter" | "tz">;

export function fetchTimeline(
  question: TileQuestion,
  start: string,
  end: string,
  px: number,
  signal: AbortSignal,
): Promise<TimelineResponse> {
  return body(api.GET("/api/1/timeline", { params: { query: { ...question, start, end, px } }, signal }));
}

/** Where there is something to see around a stretch without events. */
export function nearestQuery(question: TileQuestion, start: string, end: string) {
  return queries.timeline({ ...question, start, end, px: 1 });
}

type Period = "day" | "week" | "month" | "year";
const BINS = { day: "5m", week: "hour", month: "hour", year: "day" } as const;

/** How much there is in each part of a period; its range is where the period begins and ends. */
export function densityQuery(
  range: { period: Period; date?: string } | { start: string; end: string; bin: SeriesQuery["bin"] },
  rest: Pick<SeriesQuery, "tz" | "device" | "filter">,
) {
  const bin = "period" in range ? BINS[range.period] : range.bin;
  return queries.series({ ...range, ...rest, bin, by: "category", top: 1 });
}

const DAY = 86_400_000;

/**
 * The share of uncategorized time, and where a period begins and ends. Of a range it is that of whole days: moving over
 * the lanes asks for nothing until another day is shown.
 */
export function shareQuery(view: View) {
  const { range } = view;
  const days = range && {
    start: new Date(Math.floor(Date.parse(range.start) / DAY) * DAY).toISOString(),
    end: new Date(Math.ceil(Date.parse(range.end) / DAY) * DAY).toISOString(),
  };
  return queries.summary({ ...rangeQuery({ ...view, range: days }), by: "category", limit: 1 });
}

/** The sessions of a part of the timeline. */
export const sessionsQuery = ({ start, end }: Viewport, common: ReturnType<typeof commonOf>) =>
  queries.activitySessions({ ...common, start: moment(start), end: moment(end) });

/** The sessions of the week of a view. */
export function weekQuery(view: View) {
  const date = view.range
    ? dayOf(view.range.start, preferences.zone, preferences.value.day_start)
    : view.date;
  return queries.activitySessions({ period: "week", ...(date ? { date } : {}), ...commonOf(view) });
}
