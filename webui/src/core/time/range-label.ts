// The name of a range. The server sends it in English.
import { language } from "../i18n/translate.svelte";
import { monthAndYear } from "./names";
import { addDays, dayLabel, daysLabel, shortDaysLabel } from "./period";
import { datesAndTimes, dayOf } from "./zone";

export interface LabeledRange {
  readonly start: string;
  readonly end: string;
  readonly tz: string;
  readonly day_start: string;
  /** "Thu 5 Mar 2026", "2 to 8 Mar 2026", "March 2026", "2026", or with times if it is not of whole days. */
  readonly label: string;
}

/** The label of a range in the language of the page: "Do., 5. März 2026", "2.–8. März 2026", "März 2026". */
export function rangeLabel({ start, end, tz, day_start, label }: LabeledRange): string {
  const isSeveralDays = / to /.test(label) && !label.includes(":");
  if (/^\d{4}$/.test(label) || (language.current === "en" && !isSeveralDays)) return label;
  if (label.includes(":")) return datesAndTimes(start, end, tz);
  const first = dayOf(start, tz, day_start);
  const last = addDays(dayOf(end, tz, day_start), -1);
  if (/^\p{L}+ \d{4}$/u.test(label)) return monthAndYear(first, "UTC");
  if (first === last) return dayLabel(first);
  return daysLabel(first, last);
}

/** The days of a range, also of parts of days: "1 – 18 Oct". */
export function daysOfRange({ start, end, tz, day_start }: Omit<LabeledRange, "label">): string {
  return shortDaysLabel(dayOf(start, tz, day_start), dayOf(Date.parse(end) - 1, tz, day_start));
}
