// What figures are compared with, and how that is said.
import type { Period } from "../time/period";
import type { Comparison, View } from "../url/view";

/** What a view is compared with. A day that goes on is always compared with what is usual by now. */
export function comparisonOf(view: View): Comparison | undefined {
  const isDay = view.period === "day" && !view.range;
  if (view.compare === "typical" && !isDay) return "previous"; // there is no usual week
  return view.compare ?? (isDay && !view.date ? "typical" : undefined);
}

/** "vs usual by 16:40" */
export function comparedWith(
  comparison: Comparison,
  period: Period | "range",
  /** The time of day, where the day goes on. */
  byNow: string | undefined,
): string {
  if (comparison === "typical") return byNow ? `vs usual by ${byNow}` : "vs usual";
  if (comparison === "year") return "vs a year ago";
  return period === "range" ? "vs the same time before" : `vs the ${period} before`;
}

/** How often one goes from one app to another in an hour of active time; undefined where there is too little of it. */
export function switchesPerHour(switches: number, activeSeconds: number): number | undefined {
  return activeSeconds >= 300 ? Math.round((switches / activeSeconds) * 3600) : undefined;
}
