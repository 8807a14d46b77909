// What figures are compared with, and how that is said.
import type { Period } from "../time/period";
import type { Comparison, View } from "../url/view";

/** What a view is compared with. Today is compared with what is usual, unless something else was chosen. */
export function comparisonOf(view: View): Comparison | undefined {
  const isToday = view.period === "day" && !view.range && !view.date;
  return view.compare ?? (isToday ? "typical" : undefined);
}

/** "vs usual by 16:40", "vs the same part of the week before" */
export function comparedWith(
  comparison: Comparison,
  period: Period | "range",
  /** The time of day, if the range is not over: the server then compares with the same elapsed part. */
  byNow: string | undefined,
): string {
  const upTo = byNow === undefined || period !== "day" ? "" : ` by ${byNow}`;
  const partOf = byNow === undefined || period === "day" ? "" : "the same part of ";
  switch (comparison) {
    case "typical":
      return period === "day" || period === "range" ? `vs usual${upTo}` : `vs ${partOf}a usual ${period}`;
    case "year":
      return `vs ${partOf}${period === "day" || period === "range" ? "" : `the ${period} `}a year ago${upTo}`;
    case "previous":
      return `vs ${partOf}${period === "range" ? "the time before" : `the ${period} before`}${upTo}`;
  }
}

interface Earlier {
  readonly range: { readonly label: string };
  /** The whole period, if only its elapsed part counts. */
  readonly whole?: { readonly label: string };
  readonly periods?: number;
}

/** What an answer was compared with: "October 2026", "the same part of October 2026", "what is usual". */
export function earlierLabel({ range, whole, periods }: Earlier): string {
  if (periods !== undefined) return "what is usual";
  return whole ? `the same part of ${whole.label}` : range.label;
}

/** App switches per hour of active time; undefined if there is too little of it. */
export function switchesPerHour(switches: number, activeSeconds: number): number | undefined {
  return activeSeconds >= 300 ? Math.round((switches / activeSeconds) * 3600) : undefined;
}
