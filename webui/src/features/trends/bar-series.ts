// Labels of bars.
import { monthAndYear, monthName, dayAndMonth, weekdayAndDay } from "../../core/time/names";
import { daysLabel } from "../../core/time/period";
import { dayName, isoDate } from "../../core/time/zone";
import type { Bin } from "./options";

const DAY = 86_400_000;

export interface NamedBin {
  readonly label: string;
  readonly name: string;
  readonly isRunning: boolean;
}

/** The bins between edges, each with a short and a full label. */
export function namedBins(edges: readonly string[], bin: Bin, zone: string, now: number): NamedBin[] {
  const isWeek = edges.length <= 8;
  return edges.slice(0, -1).map((start, place) => {
    const end = edges[place + 1] ?? start;
    const isRunning = Date.parse(start) <= now && now < Date.parse(end);
    if (bin === "month") return { label: monthName(start, zone), name: monthAndYear(start, zone), isRunning };
    if (bin === "week") {
      const [first, last] = [isoDate(start, zone), isoDate(Date.parse(end) - DAY, zone)];
      return { label: dayAndMonth(start, zone), name: daysLabel(first, last), isRunning };
    }
    const day = dayName(start, zone);
    return { label: isWeek ? weekdayAndDay(start, zone) : dayAndMonth(start, zone), name: day, isRunning };
  });
}
