// What the functions of the query language do, in the language of the page: the server sends their names.
import { t, type Label } from "../../../core/i18n/translate.svelte";

const SUMMARIES: Readonly<Record<string, Label>> = {
  query_bucket: () => t("functions.query_bucket"),
  query_bucket_eventcount: () => t("functions.query_bucket_eventcount"),
  query_bucket_names: () => t("functions.query_bucket_names"),
  find_bucket: () => t("functions.find_bucket"),
  filter_keyvals: () => t("functions.filter_keyvals"),
  exclude_keyvals: () => t("functions.exclude_keyvals"),
  filter_keyvals_regex: () => t("functions.filter_keyvals_regex"),
  filter_period_intersect: () => t("functions.filter_period_intersect"),
  period_union: () => t("functions.period_union"),
  union_no_overlap: () => t("functions.union_no_overlap"),
  concat: () => t("functions.concat"),
  sort_by_timestamp: () => t("functions.sort_by_timestamp"),
  sort_by_duration: () => t("functions.sort_by_duration"),
  limit_events: () => t("functions.limit_events"),
  sum_durations: () => t("functions.sum_durations"),
  merge_events_by_keys: () => t("functions.merge_events_by_keys"),
  chunk_events_by_key: () => t("functions.chunk_events_by_key"),
  flood: () => t("functions.flood"),
  split_url_events: () => t("functions.split_url_events"),
  simplify_window_titles: () => t("functions.simplify_window_titles"),
  merge_subwatcher_fields: () => t("functions.merge_subwatcher_fields"),
  categorize: () => t("functions.categorize"),
  tag: () => t("functions.tag"),
  contains: () => t("functions.contains"),
  print: () => t("functions.print"),
  nop: () => t("functions.nop"),
};

/** The summary of a function; that of the server for one that the page does not know. */
export function summaryOf({ name, summary }: { readonly name: string; readonly summary: string }): string {
  return SUMMARIES[name]?.() ?? summary;
}
