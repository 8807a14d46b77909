// Dates and times of a timesheet in the user's locale and the timesheet's zone.
import { addDays, shortDaysLabel } from "../../core/time/period";
import { monthAndYear, weekdayAndDay } from "../../core/time/names";
import { dayName, timeOfDay } from "../../core/time/zone";
import type { Words } from "./sheet/sheet";

export function sheetWords(zone: string): Words {
  // A date of a timesheet is a calendar date and has no zone.
  const moment = (date: string) => `${date}T12:00:00Z`;
  return {
    date: (day) => dayName(moment(day.date), "UTC"),
    time: (text) => timeOfDay(text, zone),
    span: (date, unit) =>
      unit === "month"
        ? monthAndYear(moment(date), "UTC")
        : unit === "week"
          ? shortDaysLabel(date, addDays(date, 6))
          : weekdayAndDay(moment(date), "UTC"),
  };
}
