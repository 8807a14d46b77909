// Steps through time that keys, buttons and the palette share.
import { shift } from "../../lib/time/period";
import { changeView, shown, view } from "../../lib/url/current-view.svelte";
import { COMPARISONS } from "../../lib/url/view";

/** One period back or on; a range of one's own moves by its length. */
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

/** Off, then each comparison in turn. */
export function nextComparison(): void {
  const place = view.current.compare ? COMPARISONS.indexOf(view.current.compare) : -1;
  changeView({ compare: COMPARISONS[place + 1] });
}
