// The calls of the timeline: its tiles, what is around them, and what is nearest to an empty stretch.
import { api, body } from "../core/api/client";
import { preferences } from "../core/api/preferences.svelte";
import { queries, type SeriesQuery, type TimelineQuery } from "../core/api/queries";
import type { TimelineResponse } from "../core/api/schema";
import { formatFilter, type View } from "../core/url/view";

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

/** Where the period of a view begins and ends. */
export const periodQuery = (view: View) =>
  densityQuery({ period: view.period, ...(view.date ? { date: view.date } : {}) }, commonOf(view));

/** The sessions of the week of a view. */
export function weekQuery(view: View) {
  const date = view.range?.start.slice(0, 10) ?? view.date;
  return queries.activitySessions({ period: "week", ...(date ? { date } : {}), ...commonOf(view) });
}
