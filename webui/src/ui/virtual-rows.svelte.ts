// Of a long list only the rows that can be seen are in the page: which ones, and how much room the others take.
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualItem,
} from "@tanstack/virtual-core";

interface Options {
  readonly count: number;
  /** The height of a row, in pixels; all are alike. */
  readonly height: number;
}

/** To be called while a component is made. `attach` goes on the element that scrolls. */
export function virtualRows(options: () => Options) {
  let element: HTMLElement | null = null;
  let items = $state.raw<readonly VirtualItem[]>([]);
  let total = $state(0);
  const read = (each: Virtualizer<HTMLElement, HTMLElement>) => {
    items = each.getVirtualItems();
    total = each.getTotalSize();
  };
  const base = {
    getScrollElement: () => element,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    overscan: 8,
    onChange: read,
  };
  const virtualizer = new Virtualizer<HTMLElement, HTMLElement>({
    ...base,
    count: 0,
    estimateSize: () => 36,
  });

  $effect(() => {
    const { count, height } = options();
    virtualizer.setOptions({ ...base, count, estimateSize: () => height });
    virtualizer.measure();
    virtualizer._willUpdate();
    read(virtualizer);
  });

  return {
    get items() {
      return items;
    },
    /** Pixels before the first row that is there, and after the last one. */
    get before() {
      return items[0]?.start ?? 0;
    },
    get after() {
      return total - (items.at(-1)?.end ?? 0);
    },
    attach(node: HTMLElement) {
      element = node;
      const stop = virtualizer._didMount();
      virtualizer._willUpdate();
      read(virtualizer);
      return () => {
        stop();
        element = null;
      };
    },
    show: (index: number) => virtualizer.scrollToIndex(index),
  };
}
