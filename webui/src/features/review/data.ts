// What the review of a week asks the server for.
import { api, body } from "../../core/api/client";
import { level } from "../../core/categories/level.svelte";
import { preferences } from "../../core/api/preferences.svelte";
import { queries, rangeQuery } from "../../core/api/queries";
import { progressQuery } from "../goals/data";
import { now } from "../../core/time/clock";
import { addDays } from "../../core/time/period";
import type { View } from "../../core/url/view";
import { reviewOf, type Review } from "./model";

interface Signal {
  signal: AbortSignal;
}

/** More than anyone has: changes count what is small now and was large before. */
const CATEGORIES = 300;

export const reviewQueries = {
  week: (view: View) => ({
    queryKey: ["data", "review", rangeQuery(view), level.current],
    queryFn: async ({ signal }: Signal): Promise<Review> => {
      const summary = await queries
        .summary({
          ...rangeQuery(view),
          by: "category",
          limit: CATEGORIES,
          compare: "typical",
          ...level.query,
        })
        .queryFn({ signal });
      const { start, end } = summary.range;
      // Daily goals are counted up to the last day of the week, or up to today.
      const last = now() < Date.parse(end) ? undefined : addDays(start.slice(0, 10), 6);
      const [goals, suggestions] = await Promise.all([
        progressQuery({ tz: preferences.zone, ...(last ? { date: last } : {}) }).queryFn({ signal }),
        body(
          api.GET("/api/1/categories/suggestions", {
            params: { query: { ...rangeQuery(view), limit: 20 } },
            signal,
          }),
        ),
      ]);
      return reviewOf(summary, goals, suggestions, now());
    },
  }),
};
