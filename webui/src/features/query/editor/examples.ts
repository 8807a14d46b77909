// Example queries.
import { t, type Label } from "../../../core/i18n/translate.svelte";

export interface Example {
  readonly name: Label;
  readonly program: string;
}

export const EXAMPLES: readonly Example[] = [
  {
    name: () => t("query.topApps"),
    program: `windows = flood(query_bucket(find_bucket("aw-watcher-window_"))); RETURN = sort_by_duration(merge_events_by_keys(windows, ["app"]));`,
  },
  {
    name: () => t("query.activeTimeByTitle"),
    program: `windows = flood(query_bucket(find_bucket("aw-watcher-window_"))); afk = flood(query_bucket(find_bucket("aw-watcher-afk_"))); present = filter_keyvals(afk, "status", ["not-afk"]); windows = filter_period_intersect(windows, present); RETURN = limit_events(sort_by_duration(merge_events_by_keys(windows, ["app", "title"])), 100);`,
  },
  {
    name: () => t("query.timeByCategory"),
    program: `windows = flood(query_bucket(find_bucket("aw-watcher-window_"))); windows = categorize(windows, __CATEGORIES__); RETURN = sort_by_duration(merge_events_by_keys(windows, ["$category"]));`,
  },
  {
    name: () => t("query.domainsVisited"),
    program: `pages = split_url_events(query_bucket(find_bucket("aw-watcher-web-"))); RETURN = sort_by_duration(merge_events_by_keys(pages, ["$domain"]));`,
  },
  {
    name: () => t("query.timeAtTheKeyboardAndBreaks"),
    program: `afk = query_bucket(find_bucket("aw-watcher-afk_")); present = filter_keyvals(afk, "status", ["not-afk"]); away = filter_keyvals(afk, "status", ["afk"]); RETURN = {"hours": sum_durations(present) / 3600, "away": sort_by_duration(away)};`,
  },
];
