// Which rows of a long list are to be drawn: those in view, and a few around them.
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualItem,
} from "@tanstack/virtual-core";

interface Wanted {
  readonly count: number;
  /** The height of a row, in pixels; all are alike. */
  readonly size: number;
  /** What scrolls. */
  readonly scroller: HTMLElement | undefined;
}

export interface VirtualRows {
  readonly rows: readonly VirtualItem[];
  /** The heights of what is left out before and after the rows. */
  readonly before: number;
  readonly after: number;
}

/** To be called while a component is made; `read` is called again whenever what it reads has changed. */
export function virtualRows(read: () => Wanted): VirtualRows {
  let rows = $state.raw<readonly VirtualItem[]>([]);
  let total = $state(0);
  const fixed = {
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    overscan: 12,
    onChange: () => update(),
  };
  const virtualizer = new Virtualizer<HTMLElement, HTMLElement>({
    ...fixed,
    count: 0,
    estimateSize: () => 1,
    getScrollElement: () => null,
  });

  function update() {
    rows = virtualizer.getVirtualItems();
    total = virtualizer.getTotalSize();
  }

  $effect(() => virtualizer._didMount());
  $effect(() => {
    const { count, size, scroller } = read();
    virtualizer.setOptions({
      ...fixed,
      count,
      estimateSize: () => size,
      getScrollElement: () => scroller ?? null,
    });
    virtualizer._willUpdate();
    virtualizer.measure();
    update();
  });

  return {
    get rows() {
      return rows;
    },
    get before() {
      return rows[0]?.start ?? 0;
    },
    get after() {
      return Math.max(0, total - (rows.at(-1)?.end ?? 0));
    },
  };
}
