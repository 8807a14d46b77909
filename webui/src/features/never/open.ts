import { mount, unmount } from "svelte";
import type { NeverKind } from "./data";

/** Open the dialog that stops recording something. */
export async function openNever(kind: NeverKind, value: string): Promise<void> {
  const { default: NeverDialog } = await import("./NeverDialog.svelte");
  const opened = mount(NeverDialog, {
    target: document.body,
    props: { kind, value, onclose: () => void unmount(opened) },
  });
}
