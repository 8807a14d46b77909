// Times of events, short enough for a column.
import { dateFormat } from "../../../core/i18n/format";
import { now } from "../../../core/time/clock";
import { timeWithSeconds } from "../../../core/time/zone";

/** "15 Nov, 16:40:02", with the year if it is not this one. */
export function dayAndTime(moment: string, zone: string): string {
  const date = new Date(moment);
  const isThisYear = yearOf(date, zone) === yearOf(new Date(now()), zone);
  const day = dateFormat(zone, {
    day: "numeric",
    month: "short",
    ...(isThisYear ? {} : { year: "numeric" }),
  }).format(date);
  return `${day}, ${timeWithSeconds(moment, zone)}`;
}

function yearOf(date: Date, zone: string): string {
  return dateFormat(zone, { year: "numeric" }).format(date);
}
