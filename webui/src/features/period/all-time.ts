// Pages that cover all time unless their URL names a period; there, today has to be named too.
import { today } from "../../core/api/preferences.svelte";
import type { IsoDate, Period } from "../../core/time/period";
import { changeView, shown } from "../../core/url/current-view.svelte";
import { location, setParams } from "../../core/url/location.svelte";
import { namesTime } from "../../core/url/view";
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
  changeView({ period, date: named, range: undefined });
}
