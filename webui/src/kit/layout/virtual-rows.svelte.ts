// A virtual list: which rows are rendered, and how much space the others take.
import { rowsInView } from "./rows-in-view";

interface Options {
  readonly count: number;
  /** Height of every row, in pixels. */
  readonly height: number;
}

/** Call during component initialization. `attach` is for the scrolling element. */
export function virtualRows(options: () => Options) {
  let element: HTMLElement | undefined;
  let top = $state(0);
  let viewHeight = $state(0);
  const view = $derived(rowsInView({ ...options(), top, viewHeight }));
  const items = $derived(
    Array.from({ length: view.end - view.start }, (_, place) => ({ index: view.start + place })),
  );

  return {
    get items() {
      return items;
    },
    /** Pixels before the first rendered row and after the last one. */
    get before() {
      return view.start * options().height;
    },
    get after() {
      return (options().count - view.end) * options().height;
    },
    attach(node: HTMLElement) {
      element = node;
      const read = () => (top = node.scrollTop);
      const sizes = new ResizeObserver(() => (viewHeight = node.clientHeight));
      sizes.observe(node);
      node.addEventListener("scroll", read, { passive: true });
      read();
      return () => {
        sizes.disconnect();
        node.removeEventListener("scroll", read);
        element = undefined;
      };
    },
    /** Scroll just far enough to show a row. */
    show(index: number) {
      if (!element) return;
      const { height } = options();
      const [start, end] = [index * height, (index + 1) * height];
      if (start < element.scrollTop) element.scrollTop = start;
      else if (end > element.scrollTop + element.clientHeight) element.scrollTop = end - element.clientHeight;
    },
  };
}
