// Files that were chosen or dropped on another page, on their way to the import tab.
import { go } from "../../core/url/location.svelte";

let handed = $state.raw<readonly File[]>([]);

/** Open the import tab with a preview of these files. */
export function openImport(files: readonly File[]): void {
  handed = files;
  go(["buckets"], new URLSearchParams({ tab: "import" }));
}

/** The files, once. */
export function takeHandedFiles(): readonly File[] {
  const files = handed;
  if (files.length > 0) handed = [];
  return files;
}
