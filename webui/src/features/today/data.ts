// The requests of Today. They start before the page is mounted, all at once.
import { queries, queryClient, rangeQuery } from "../../core/api/queries";
import type { BucketState } from "../../core/api/schema";
import { session } from "../../core/api/session.svelte";
import { view } from "../../core/url/current-view.svelte";
import type { View } from "../../core/url/view";
import { progressInView } from "../goals/data";
import { comparisonOf } from "../period/comparison";
import { projectQueries } from "../projects/data";
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

/** The ids of the buckets that say when someone was away from the devices of a view. */
export const awayBuckets = (buckets: readonly BucketState[], { devices }: View): string[] =>
  buckets
    .filter(({ type, device }) => type === "afkstatus" && (devices.length === 0 || devices.includes(device)))
    .map(({ id }) => id);

export const awayQuery = (current: View, lanes: readonly string[]) =>
  queries.timeline({ ...rangeQuery(current), filter: undefined, lanes: [...lanes], px: PIECES });

/** Whether it is short enough for a strip. */
export function isDay({ period, range }: View): boolean {
  return range ? Date.parse(range.end) - Date.parse(range.start) <= 36 * 3_600_000 : period === "day";
}

/** Request what the page will show. */
export function prefetch(): void {
  const { current } = view;
  const wanted = [
    summaryQuery(current),
    progressInView(current),
    queries.categories(),
    ...(session.isFull ? [firstRunQueries.welcome(), projectQueries.all()] : []),
  ];
  if (isDay(current)) prefetchDay(current);
  for (const query of wanted) void queryClient.prefetchQuery<unknown>(query);
}

/** The strip and what is drawn with it. If a request fails, the panel sends it again. */
function prefetchDay(current: View): void {
  const marks = queryClient
    .fetchQuery(stripQuery(current))
    .then(({ range }) => queryClient.prefetchQuery(queries.annotations(range.start, range.end)));
  const away = queryClient.fetchQuery(queries.buckets()).then(({ buckets }) => {
    const lanes = awayBuckets(buckets, current);
    return lanes.length > 0 ? queryClient.prefetchQuery(awayQuery(current, lanes)) : undefined;
  });
  void Promise.allSettled([marks, away]);
}
