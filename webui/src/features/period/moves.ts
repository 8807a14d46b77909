// Navigation in time, shared by shortcuts, buttons and the palette.
import { preferences } from "../../core/api/preferences.svelte";
import { shift, type Period } from "../../core/time/period";
import { changeView, shown, view } from "../../core/url/current-view.svelte";
import { location } from "../../core/url/location.svelte";
import { pageNamed } from "../../core/url/pages";
import { COMPARISONS } from "../../core/url/view";
import { startsWithAll } from "./all-time";
import { movedRange } from "./ranges";

/** The period that the page shows: the week grid shows a week, whatever the period is. */
export function currentPeriod(): Period {
  return showsWeekGrid() ? "week" : view.current.period;
}

export function showsWeekGrid(): boolean {
  return location.page === "timeline" && location.params.get("view") === "week";
}

/** Move by the period shown; a custom range moves by its length. */
export function step(direction: 1 | -1): void {
  const { range } = view.current;
  if (range && !showsWeekGrid())
    changeView({ range: movedRange(range, direction, preferences.zone, preferences.value.day_start) });
  else if (shown.date) changeView({ date: shift(shown.date, currentPeriod(), direction), range: undefined });
}

export function goToNow(): void {
  changeView({ date: undefined, range: undefined });
}

/** Whether the current page compares anything. */
export function canCompare(): boolean {
  return pageNamed(location.page)?.hasComparison !== false && !startsWithAll();
}

/** Cycle through the comparisons. */
export function nextComparison(): void {
  if (!canCompare()) return;
  const place = view.current.compare ? COMPARISONS.indexOf(view.current.compare) : -1;
  changeView({ compare: COMPARISONS[place + 1] });
}
