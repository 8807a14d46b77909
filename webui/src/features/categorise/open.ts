import { mount, unmount } from "svelte";
import type { Subject } from "./CategoriseForm.svelte";
import type { Range } from "./data";

/** Open the form next to an element. In a modal dialog it has to be part of it: all else is inert. */
export async function categorise(anchor: HTMLElement, subject: Subject, range?: Range): Promise<void> {
  const { CategorisePopover } = await import("./lazy");
  const opened = mount(CategorisePopover, {
    target: anchor.closest("dialog") ?? document.body,
    props: { anchor, subject, range, onclose: () => void unmount(opened) },
  });
}
