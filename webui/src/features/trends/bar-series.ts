// Labels of bars.
import { t } from "../../core/i18n/translate.svelte";
import { monthAndYear, monthName, dayAndMonth, weekdayAndDay } from "../../core/time/names";
import { dayName } from "../../core/time/zone";
import type { Bin } from "./options";

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
    const day = dayName(start, zone);
    if (bin === "week")
      return { label: dayAndMonth(start, zone), name: t("common.weekOf", { day }), isRunning };
    return { label: isWeek ? weekdayAndDay(start, zone) : dayAndMonth(start, zone), name: day, isRunning };
  });
}
