import { mount, unmount } from "svelte";
import type { Subject } from "./CategorizeForm.svelte";
import type { Range } from "./data";

interface Options {
  /** Where time is counted that would move; the range of the page by default. */
  readonly range?: Range;
  readonly onsaved?: () => void;
}

/** Open the form next to an element. In a modal dialog it has to be part of it: all else is inert. */
export async function categorize(
  anchor: HTMLElement,
  subject: Subject,
  options: Options = {},
): Promise<void> {
  const { CategorizePopover } = await import("./lazy");
  const opened = mount(CategorizePopover, {
    target: anchor.closest("dialog") ?? document.body,
    props: { anchor, subject, ...options, onclose: () => void unmount(opened) },
  });
}
