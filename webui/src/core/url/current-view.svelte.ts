// The view in the URL, and the range that the server resolved it to.
import type { IsoDate } from "../time/period";
import { location, setParams } from "./location.svelte";
import { parseView, toggleFilter, viewParams, type Filter, type View } from "./view";

const current = $derived(parseView(location.params));

export const view = {
  get current(): View {
    return current;
  },
};

export function changeView(changes: Partial<View>, options?: { replace?: boolean }): void {
  setParams(viewParams({ ...current, ...changes }), options);
}

/** Toggle a filter. */
export function toggleInView(filter: Filter): void {
  changeView({ filters: toggleFilter(current.filters, filter) });
}

interface Shown {
  readonly start: string;
  readonly end: string;
  readonly tz: string;
}

let range = $state.raw<Shown | undefined>(undefined);
/** The same, not reactive: an effect that sets the range does not depend on it. */
let latest: Shown | undefined;

/** The range of the page with the server's edges; pages set it when they have a response. */
export const shown = {
  get range(): Shown | undefined {
    return range;
  },
  /** The calendar date on which the range starts. */
  get date(): IsoDate | undefined {
    return current.date ?? range?.start.slice(0, 10);
  },
};

export function showRange(next: Shown | undefined): void {
  if (next?.start !== latest?.start || next?.end !== latest?.end) range = latest = next;
}
