// Events per day; the last day is today.
import { addDays } from "../../lib/time/period";
import { count, counted } from "../../lib/text/amount";

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
  const days = `the last ${spark.length} days`;
  if (most === 0) return `No events in ${days}`;
  const active = spark.filter((events) => events > 0).length;
  return `${counted(
    spark.reduce((sum, events) => sum + events, 0),
    "event",
  )} in ${days}, on ${counted(active, "day")}; at most ${count(most)} per day, ${count(spark.at(-1) ?? 0)} today`;
}
