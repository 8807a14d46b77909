// The options of Trends in the URL: the measure, the bars, and which charts are tables.
import type { StackMode } from "../../kit/charts/bars/stack";
import { parsePath } from "../../core/text/paths";
import type { View } from "../../core/url/view";

export const BINS = ["day", "week", "month"] as const;
export type Bin = (typeof BINS)[number];
export const BYS = ["category", "app", "project"] as const;
export type By = (typeof BYS)[number];
const CHARTS = ["year", "hours", "bars"] as const;
export type Chart = (typeof CHARTS)[number];

export interface TrendOptions {
  /** A category; undefined for all active time. */
  readonly measure: readonly string[] | undefined;
  readonly bin: Bin | undefined;
  /** Undefined if nothing was chosen: category, or app if most time has no category. */
  readonly by: By | undefined;
  readonly mode: StackMode;
  readonly tables: readonly Chart[];
}

export function parseOptions(params: URLSearchParams): TrendOptions {
  const measure = params.get("measure");
  return {
    measure: measure ? parsePath(measure) : undefined,
    bin: BINS.find((bin) => bin === params.get("bin")),
    by: BYS.find((by) => by === params.get("by")),
    mode: params.get("bars") === "share" ? "share" : "stack",
    tables: CHARTS.filter((chart) => params.getAll("table").includes(chart)),
  };
}

/** A trend needs more than a day: without a longer period it covers the year around that day. */
export function trendView(view: View): View {
  return view.period === "day" && !view.range ? { ...view, period: "year" } : view;
}

/** The maximum number of distinguishable bars. */
const MOST_BARS = 100;

/** The bins that a range of this many days can have. */
export function binsFor(days: number): Bin[] {
  return BINS.filter(
    (bin) =>
      (bin === "day" && days <= MOST_BARS) ||
      (bin === "week" && days > 7 && days <= MOST_BARS * 7) ||
      (bin === "month" && days > 31),
  );
}

/** The requested bin if it suits the range, else the one that does. */
export function suitableBin(asked: Bin | undefined, days: number): Bin {
  const possible = binsFor(days);
  if (asked && possible.includes(asked)) return asked;
  return days > 62 && possible.includes("week") ? "week" : (possible[0] ?? "month");
}

/** The number of days between the edges of a range, ignoring clock changes. */
export function daysBetween(start: string, end: string): number {
  return Math.round((Date.parse(end) - Date.parse(start)) / 86_400_000);
}
