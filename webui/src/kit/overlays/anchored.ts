// The position of a popover: below its button, or above if there is more space, and always within the screen.

const GAP = 4;
const EDGE = 8;

export type Align = "start" | "center" | "end";

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export function placeBeside(
  anchor: Box,
  size: { width: number; height: number },
  screen: { width: number; height: number },
  align: Align,
): { left: number; top: number } {
  const starts = {
    start: anchor.left,
    center: anchor.left + (anchor.width - size.width) / 2,
    end: anchor.left + anchor.width - size.width,
  };
  const left = Math.max(EDGE, Math.min(starts[align], screen.width - size.width - EDGE));
  const below = anchor.top + anchor.height + GAP;
  const above = anchor.top - GAP - size.height;
  const fits = below + size.height <= screen.height - EDGE;
  const top = fits || above < EDGE ? below : above;
  return { left, top: Math.max(EDGE, Math.min(top, screen.height - size.height - EDGE)) };
}

/** Place an open popover next to its button and keep it there while the page scrolls or the popover grows. */
export function keepBeside(popover: HTMLElement, anchor: HTMLElement, align: Align): () => void {
  const place = () => {
    const isReversed = getComputedStyle(anchor).direction === "rtl" && align !== "center";
    const side = isReversed ? (align === "start" ? "end" : "start") : align;
    const screen = { width: document.documentElement.clientWidth, height: window.innerHeight };
    const size = { width: popover.offsetWidth, height: popover.offsetHeight };
    const { left, top } = placeBeside(anchor.getBoundingClientRect(), size, screen, side);
    popover.style.left = `${left}px`;
    popover.style.top = `${top}px`;
  };
  place();
  const sizes = new ResizeObserver(place);
  sizes.observe(popover);
  window.addEventListener("scroll", place, { capture: true, passive: true });
  window.addEventListener("resize", place);
  return () => {
    sizes.disconnect();
    window.removeEventListener("scroll", place, { capture: true });
    window.removeEventListener("resize", place);
  };
}
