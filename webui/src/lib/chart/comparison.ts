// What numbers are compared with, and the captions for it. All pages use these functions.
import type { Comparison, View } from "../url/view";

export const COMPARISON_CAPTIONS: Record<Comparison, string> = {
  previous: "vs previous period",
  year: "vs a year ago",
  typical: "vs typical",
};

/** The comparison of a view. Today is compared with a typical day unless the user chose something else. */
export function comparisonOf(view: View): Comparison | undefined {
  const isToday = view.period === "day" && !view.range && !view.date;
  return view.compare ?? (isToday ? "typical" : undefined);
}

interface Earlier {
  readonly range: { readonly label: string };
  /** The whole period, if only its elapsed part counts. */
  readonly whole?: { readonly label: string };
  /** How many earlier periods a typical value is the median of. */
  readonly periods?: number;
}

/** The dates behind a caption: "October 2026", "October 2026, up to the same point", "Median of 4 earlier periods". */
export function comparisonDates({ range, whole, periods }: Earlier): string {
  if (periods !== undefined) return `Median of ${periods} earlier ${periods === 1 ? "period" : "periods"}`;
  return whole ? `${whole.label}, up to the same point (${range.label})` : range.label;
}

/** App switches per hour of active time; undefined if there is too little of it. */
export function switchesPerHour(switches: number, activeSeconds: number): number | undefined {
  return activeSeconds >= 300 ? Math.round((switches / activeSeconds) * 3600) : undefined;
}
