// What scrolls has to be reached by keyboard, also where nothing in it can be.
import type { Attachment } from "svelte/attachments";

const REACHABLE =
  "a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex='0']";

/** Lets an element have the focus for as long as it scrolls and holds nothing that can have it. */
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
