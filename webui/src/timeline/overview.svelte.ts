// How much there is around the screen: what the strip above the lanes shows.
import { createQuery } from "@tanstack/svelte-query";
import { preferences } from "../core/api/preferences.svelte";
import { debounced } from "../core/debounced.svelte";
import { stable } from "../core/stable.svelte";
import { densityQuery } from "./data";
import { aroundOf, sharesOf } from "./engine/viewport/around";
import { moment, type Viewport } from "./engine/viewport/viewport";

/** Milliseconds without a move before the overview is requested. */
const REST = 150;

interface Shown {
  readonly isShown: boolean;
  readonly isRangeKnown: boolean;
  readonly viewport: Viewport;
  readonly recorded: Viewport;
  readonly common: Parameters<typeof densityQuery>[1];
}

/** Call during component initialization. */
export function overviewOf(shown: Shown) {
  // Most moves stay in the same day, month or year.
  const wanted = stable(() =>
    shown.isShown
      ? aroundOf(shown.viewport, shown.recorded, preferences.zone, preferences.value.day_start)
      : undefined,
  );
  const rested = debounced(() => wanted.current, REST);
  const density = createQuery(() => {
    const around = rested.current ?? { start: 0, end: 1 };
    return {
      ...densityQuery(
        "period" in around ? around : { start: moment(around.start), end: moment(around.end), bin: "week" },
        shown.common,
      ),
      enabled: shown.isRangeKnown && rested.current !== undefined,
    };
  });
  const current = $derived(
    density.data ? sharesOf(density.data) : { range: shown.viewport, edges: [], shares: [] },
  );
  return {
    get current() {
      return current;
    },
  };
}
