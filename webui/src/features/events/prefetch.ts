// The requests of the timeline that do not depend on the width of the screen. They start before the page is mounted.
import { preferences, today } from "../../core/api/preferences.svelte";
import { queries, queryClient } from "../../core/api/queries";
import { momentOf } from "../../core/time/offset";
import { view } from "../../core/url/current-view.svelte";
import { location } from "../../core/url/location.svelte";
import type { View } from "../../core/url/view";
import { commonOf, densityQuery, sessionsQuery, shareQuery, weekQuery } from "../../timeline/data";
import { monthOf } from "../../timeline/engine/viewport/around";
import { weeksOf } from "../../timeline/engine/viewport/week";

/** Request what the page will show. */
export function prefetch(): void {
  const { current } = view;
  const isWeek = location.params.get("view") === "week";
  const isDay = !isWeek && current.period === "day" && !current.range;
  const wanted = [
    shareQuery(current),
    queries.buckets(),
    queries.categories(),
    ...(isWeek ? [weekQuery(current)] : []),
    ...(isDay ? besideDay(current) : []),
  ];
  for (const query of wanted) void queryClient.prefetchQuery<unknown>(query);
}

/** The sessions of a day, and the month in the strip above the lanes. */
function besideDay(current: View) {
  const { zone, value } = preferences;
  const date = current.date ?? today();
  const common = commonOf(current);
  // Sessions are loaded by the week: noon is in the same one as the day, whose edges only the server knows.
  const noon = momentOf(Date.parse(`${date}T12:00:00Z`), zone);
  const weeks = weeksOf({ start: noon, end: noon + 1 }, zone, value.day_start);
  return [...weeks.map((week) => sessionsQuery(week, common)), densityQuery(monthOf(date), common)];
}
