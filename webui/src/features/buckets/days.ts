// Events per day; the last day is today.
import { t } from "../../core/i18n/translate.svelte";
import { addDays } from "../../core/time/period";
import { count } from "../../core/text/amount";

export interface Day {
  readonly date: string;
  readonly events: number;
}

export function daysOf(spark: readonly number[], today: string): Day[] {
  return spark.map((events, place) => ({ date: addDays(today, place - spark.length + 1), events }));
}

/** The text alternative of a sparkline. */
export function inWords(spark: readonly number[]): string {
  const most = Math.max(0, ...spark);
  if (most === 0) return t("buckets.noEventsInDays", { days: spark.length });
  const active = spark.filter((events) => events > 0).length;
  return t("buckets.eventsInDays", {
    events: t("common.eventCount", { count: spark.reduce((sum, events) => sum + events, 0) }),
    days: spark.length,
    active: t("common.dayCount", { count: active }),
    most: count(most),
    today: count(spark.at(-1) ?? 0),
  });
}
