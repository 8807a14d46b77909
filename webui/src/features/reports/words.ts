// Dates and times of a sheet in the person's locale, and in the zone that the sheet is of.
import { dayAndMonth, monthAndYear, weekdayAndDay } from "../../lib/time/names";
import { dayName, timeOfDay } from "../../lib/time/zone";
import type { Words } from "./sheet";

export function sheetWords(zone: string): Words {
  // The date of a sheet is a date of the calendar, not a moment: it has no zone.
  const moment = (date: string) => `${date}T12:00:00Z`;
  return {
    date: (day) => dayName(moment(day.date), "UTC"),
    time: (text) => timeOfDay(text, zone),
    span: (date, unit) =>
      unit === "month"
        ? monthAndYear(moment(date), "UTC")
        : unit === "week"
          ? `Week of ${dayAndMonth(moment(date), "UTC")}`
          : weekdayAndDay(moment(date), "UTC"),
  };
}
