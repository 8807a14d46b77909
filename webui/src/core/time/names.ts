// Short names of days, months and hours for charts, in the user's locale.
import { dateFormat as format } from "../i18n/format";

/** "Mar" */
export function monthName(moment: string, zone: string): string {
  return format(zone, { month: "short" }).format(new Date(moment));
}

/** "March 2026" */
export function monthAndYear(moment: string, zone: string): string {
  return format(zone, { month: "long", year: "numeric" }).format(new Date(moment));
}

/** "9 Mar" */
export function dayAndMonth(moment: string, zone: string): string {
  return format(zone, { day: "numeric", month: "short" }).format(new Date(moment));
}

/** "Mon 9" */
export function weekdayAndDay(moment: string, zone: string): string {
  return format(zone, { weekday: "short", day: "numeric" }).format(new Date(moment));
}

/** The name of a weekday; 0 is Sunday. */
export function weekdayName(weekday: number, style: "short" | "long" = "short"): string {
  // The first of January 2023 was a Sunday.
  return format("UTC", { weekday: style }).format(new Date(Date.UTC(2023, 0, 1 + weekday)));
}

/** "08:00", or "8 AM", depending on the locale. */
export function hourName(hour: number): string {
  return format("UTC", { hour: "2-digit", minute: "2-digit" }).format(new Date(Date.UTC(2023, 0, 1, hour)));
}
