// Of a long list only the rows that can be seen are in the page: which ones, and how much room the others take.
import { rowsInView } from "../lib/rows-in-view";

interface Options {
  readonly count: number;
  /** The height of a row, in pixels; all are alike. */
  readonly height: number;
}

/** To be called while a component is made. `attach` goes on the element that scrolls. */
export function virtualRows(options: () => Options) {
  let element: HTMLElement | undefined;
  let top = $state(0);
  let room = $state(0);
  const view = $derived(rowsInView({ ...options(), top, room }));
  const items = $derived(
    Array.from({ length: view.end - view.start }, (_, place) => ({ index: view.start + place })),
  );

  return {
    get items() {
      return items;
    },
    /** Pixels before the first row that is there, and after the last one. */
    get before() {
      return view.start * options().height;
    },
    get after() {
      return (options().count - view.end) * options().height;
    },
    attach(node: HTMLElement) {
      element = node;
      const read = () => (top = node.scrollTop);
      const sizes = new ResizeObserver(() => (room = node.clientHeight));
      sizes.observe(node);
      node.addEventListener("scroll", read, { passive: true });
      read();
      return () => {
        sizes.disconnect();
        node.removeEventListener("scroll", read);
        element = undefined;
      };
    },
    /** Scroll as little as it takes to see a row. */
    show(index: number) {
      if (!element) return;
      const { height } = options();
      const [start, end] = [index * height, (index + 1) * height];
      if (start < element.scrollTop) element.scrollTop = start;
      else if (end > element.scrollTop + element.clientHeight) element.scrollTop = end - element.clientHeight;
    },
  };
}
