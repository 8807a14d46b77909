// The requests of Today. They start before the page is mounted, all at once.
import { queries, queryClient, rangeQuery } from "../../core/api/queries";
import { session } from "../../core/api/session.svelte";
import { view } from "../../core/url/current-view.svelte";
import type { View } from "../../core/url/view";
import { progressInView } from "../goals/data";
import { comparisonOf } from "../period/comparison";
import { firstRunQueries } from "../welcome/data";

/** Maximum number of spans per lane of the strip: more would not be distinguishable. */
export const PIECES = 360;

export function summaryQuery(current: View) {
  const comparison = comparisonOf(current);
  return queries.summary({
    ...rangeQuery(current),
    by: "category,app,title,domain,project",
    limit: 8,
    ...(comparison ? { compare: comparison } : {}),
  });
}

export const stripQuery = (current: View) =>
  queries.timeline({ ...rangeQuery(current), lanes: ["device"], px: PIECES });

/** Whether it is short enough for a strip. */
export function isDay({ period, range }: View): boolean {
  return range ? Date.parse(range.end) - Date.parse(range.start) <= 36 * 3_600_000 : period === "day";
}

/** Request what the page will show. */
export function prefetch(): void {
  const { current } = view;
  const wanted = [
    summaryQuery(current),
    ...(isDay(current) ? [stripQuery(current)] : []),
    progressInView(current),
    queries.categories(),
    ...(session.isFull ? [firstRunQueries.welcome()] : []),
  ];
  for (const query of wanted) void queryClient.prefetchQuery<unknown>(query);
}
