// Pages that cover all time unless their URL names a period; there, today has to be named too.
import { today } from "../../core/api/preferences.svelte";
import type { IsoDate, Period } from "../../core/time/period";
import { changeView, shown, view } from "../../core/url/current-view.svelte";
import { location, setParams } from "../../core/url/location.svelte";
import { namesTime, viewParams } from "../../core/url/view";
import { showsWeekGrid } from "./moves";
import { pageNamed } from "../../core/url/pages";

export function startsWithAll(): boolean {
  return pageNamed(location.page)?.startsWithAll === true;
}

export function showsAllTime(): boolean {
  return startsWithAll() && !namesTime(location.params);
}

export function showAllTime(): void {
  setParams({ period: undefined, date: undefined, start: undefined, end: undefined });
}

/** The period around a date, or around today. */
export function showPeriod(period: Period, date: IsoDate | undefined = shown.date): void {
  const named = (date || undefined) ?? (startsWithAll() && period === "day" ? today() : undefined);
  // The week grid shows weeks only: another period leaves it.
  if (showsWeekGrid() && period !== "week")
    setParams({ ...viewParams({ ...view.current, period, date: named, range: undefined }), view: undefined });
  else changeView({ period, date: named, range: undefined });
}
