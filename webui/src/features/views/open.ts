import { mount, unmount } from "svelte";
import type { SavedView } from "./model";

/** Open the dialog that saves the current view, or renames a saved one. */
export async function nameView(former?: SavedView): Promise<void> {
  const { default: ViewDialog } = await import("./ViewDialog.svelte");
  const opened = mount(ViewDialog, {
    target: document.body,
    props: { former, onclose: () => void unmount(opened) },
  });
}
