// Navigation in time, shared by shortcuts, buttons and the palette.
import { shift } from "../../core/time/period";
import { changeView, shown, view } from "../../core/url/current-view.svelte";
import { location } from "../../core/url/location.svelte";
import { pageNamed } from "../../core/url/pages";
import { COMPARISONS } from "../../core/url/view";
import { startsWithAll } from "./all-time";

/** Move by one period; a custom range moves by its length. */
export function step(direction: 1 | -1): void {
  const { range, period } = view.current;
  if (range) {
    const [start, end] = [Date.parse(range.start), Date.parse(range.end)];
    const by = direction * (end - start);
    const moment = (value: number) => new Date(value).toISOString();
    changeView({ range: { start: moment(start + by), end: moment(end + by) } });
    return;
  }
  if (shown.date) changeView({ date: shift(shown.date, period, direction) });
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
