// Native modal dialogs: the browser traps the focus, closes them on Esc, and makes the rest of the page inert.
import type { Attachment } from "svelte/attachments";

/** For a `<dialog>` that is in the DOM while it is open: shows it, focuses its form, and returns the focus on close. */
export function modal(dialog: HTMLDialogElement): () => void {
  const before = document.activeElement;
  // While the dialog is open the page does not scroll: padding replaces the scrollbar, so that nothing moves. The width
  // of the root element does not show how wide the page is, because it includes a gutter without a scrollbar.
  const { width } = document.body.getBoundingClientRect();
  document.documentElement.style.setProperty("--scrollbar-width", `${innerWidth - width}px`);
  dialog.showModal();
  // A form is opened to type into it, so the first field gets the focus, not the close button.
  dialog.querySelector<HTMLElement>(":is(input, select, textarea):not(:disabled)")?.focus();
  return () => {
    dialog.close();
    if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
  };
}

/** Whether a click hit the backdrop, which belongs to the `<dialog>` element itself. */
export function isBeside(event: MouseEvent): boolean {
  const dialog = event.currentTarget;
  if (!(dialog instanceof HTMLElement) || event.target !== dialog) return false;
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return event.clientX < left || event.clientX > right || event.clientY < top || event.clientY > bottom;
}

const REACHABLE =
  "a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex='0']";

/** Makes an element focusable while it scrolls and has no focusable content, so that keys can scroll it. */
export const scrollable: Attachment<HTMLElement> = (element) => {
  const look = () => {
    const isOnlyWay =
      element.scrollHeight > element.clientHeight && element.querySelector(REACHABLE) === null;
    if (isOnlyWay) element.tabIndex = 0;
    else element.removeAttribute("tabindex");
  };
  const observer = new ResizeObserver(look);
  observer.observe(element);
  for (const child of element.children) observer.observe(child);
  return () => observer.disconnect();
};
