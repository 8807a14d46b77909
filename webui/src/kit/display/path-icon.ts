// What an icon of Lucide becomes when the page is built (vite-icons.ts): its path, drawn by one component.
import type { Component } from "svelte";
import PathIcon from "./PathIcon.svelte";

type Given = Readonly<Record<string, unknown>>;

/** A component that draws this path, with the properties of Lucide's. */
export function pathIcon(name: string, path: string): Component<Given> {
  return (anchor, given) => PathIcon(anchor, { name, path, given });
}
