// A scrolling element must be reachable by keyboard even if nothing in it is focusable.
import type { Attachment } from "svelte/attachments";

const REACHABLE =
  "a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex='0']";

/** Makes an element focusable while it scrolls and has no focusable content. */
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
