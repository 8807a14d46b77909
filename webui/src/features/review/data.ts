// What the review of a week asks the server for.
import { api, body } from "../../core/api/client";
import { level } from "../../core/categories/level.svelte";
import { preferences } from "../../core/api/preferences.svelte";
import { queries, rangeQuery } from "../../core/api/queries";
import { progressQuery } from "../goals/data";
import { now } from "../../core/time/clock";
import { momentOf, offsetAt } from "../../core/time/offset";
import { addDays, type IsoDate } from "../../core/time/period";
import { dayOf } from "../../core/time/zone";
import type { View } from "../../core/url/view";
import { reviewOf, type Review } from "./model";

interface Signal {
  signal: AbortSignal;
}

/** More than anyone has: changes count what is small now and was large before. */
const CATEGORIES = 300;

/** The trend has this week and those before it. */
const WEEKS = 8;

/** The start of the first week of the trend. */
function weeksBefore(start: string, zone: string): string {
  const moment = Date.parse(start);
  const wall = moment + offsetAt(moment, zone) - (WEEKS - 1) * 7 * 86_400_000;
  return new Date(momentOf(wall, zone)).toISOString();
}

export const reviewQueries = {
  week: (view: View) => ({
    queryKey: ["data", "review", rangeQuery(view), level.current],
    queryFn: async ({ signal }: Signal): Promise<Review> => {
      const summary = await queries
        .summary({
          ...rangeQuery(view),
          by: "category,app",
          limit: CATEGORIES,
          compare: "typical",
          ...level.query,
        })
        .queryFn({ signal });
      const { start, end } = summary.range;
      // Daily goals are counted up to the last day of the week, or up to today.
      const last = now() < Date.parse(end) ? undefined : addDays(start.slice(0, 10), 6);
      const { tz, device, filter } = rangeQuery(view);
      const rest = { tz, ...(device ? { device } : {}), ...(filter ? { filter } : {}) };
      const bins = { ...rest, end, by: "category" as const, top: 1 };
      const [goals, suggestions, { sessions }, days, weeks] = await Promise.all([
        progressQuery({ tz: preferences.zone, ...(last ? { date: last } : {}) }).queryFn({ signal }),
        body(
          api.GET("/api/1/categories/suggestions", {
            params: { query: { ...rangeQuery(view), limit: 20 } },
            signal,
          }),
        ),
        queries.activitySessions({ ...rest, start, end }).queryFn({ signal }),
        queries.series({ ...bins, start, bin: "day" }).queryFn({ signal }),
        queries
          .series({ ...bins, start: weeksBefore(start, summary.range.tz), bin: "week" })
          .queryFn({ signal }),
      ]);
      return reviewOf(summary, goals, suggestions, now(), { sessions, days, weeks });
    },
  }),
  /** The week with data that is nearest to one without: the one before it, else the next one. */
  nearest: (view: View) => ({
    queryKey: ["data", "review", "nearest", rangeQuery(view)],
    queryFn: async ({ signal }: Signal): Promise<IsoDate | undefined> => {
      const { nearest, range } = await queries
        .timeline({ ...rangeQuery(view), lanes: ["device"], px: 1 })
        .queryFn({ signal });
      const moment = nearest?.before ?? nearest?.after;
      return moment ? dayOf(Date.parse(moment) - 1, range.tz, range.day_start) : undefined;
    },
  }),
};
