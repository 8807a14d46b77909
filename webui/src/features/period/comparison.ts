// What numbers are compared with, and the captions for it. All pages use these functions.
import { now } from "../../core/time/clock";
import { daysOfRange, rangeLabel, type LabeledRange } from "../../core/time/range-label";
import { isoDate } from "../../core/time/zone";
import { t, type Label } from "../../core/i18n/translate.svelte";
import type { Comparison, View } from "../../core/url/view";

export const COMPARISON_CAPTIONS: Record<Comparison, Label> = {
  previous: () => t("charts.vsPreviousPeriod"),
  year: () => t("charts.vsAYearAgo"),
  typical: () => t("charts.vsTypical"),
};

/** The comparison of a view. Today is compared with a typical day unless the user chose something else. */
export function comparisonOf(view: View): Comparison | undefined {
  const isToday = view.period === "day" && !view.range && !view.date;
  return view.compare ?? (isToday ? "typical" : undefined);
}

/** The caption of numbers that were compared, with the dates: "vs 1 – 18 Oct", "vs typical". */
export function comparisonCaption(comparison: Comparison, earlier: Earlier | undefined): string {
  if (comparison === "typical" || !earlier) return COMPARISON_CAPTIONS[comparison]();
  return t("charts.vs", { dates: comparedDays(earlier.range) });
}

/** The days of a range, with the year if it is not this one. */
function comparedDays(range: LabeledRange): string {
  const year = range.start.slice(0, 4);
  const days = daysOfRange(range);
  return year === isoDate(now(), range.tz).slice(0, 4) ? days : `${days} ${year}`;
}

interface Earlier {
  readonly range: LabeledRange;
  /** The whole period, if only its elapsed part counts. */
  readonly whole?: LabeledRange;
  /** How many earlier periods a typical value is the median of. */
  readonly periods?: number;
}

/** The dates behind a caption: "October 2026", "October 2026, up to the same point", "Median of 4 earlier periods". */
export function comparisonDates({ range, whole, periods }: Earlier): string {
  if (periods !== undefined) return t("charts.medianOfEarlierPeriods", { count: periods });
  return whole
    ? t("charts.upToTheSamePoint", { whole: rangeLabel(whole), part: rangeLabel(range) })
    : rangeLabel(range);
}

/** App switches per hour of active time; undefined if there is too little of it. */
export function switchesPerHour(switches: number, activeSeconds: number): number | undefined {
  return activeSeconds >= 300 ? Math.round((switches / activeSeconds) * 3600) : undefined;
}
