// The color of a category in the current theme.
import { createQuery } from "@tanstack/svelte-query";
import { MediaQuery } from "svelte/reactivity";
import { ancestorColor, categoryColors, UNCATEGORIZED, type Path, type Theme } from "../color/palette";
import { preferences } from "./preferences.svelte";
import { queries } from "./queries";

const prefersDark = new MediaQuery("(prefers-color-scheme: dark)");

export const theme = {
  get current(): Theme {
    const chosen = preferences.value.theme;
    return chosen === "auto" ? (prefersDark.current ? "dark" : "light") : chosen;
  },
};

export interface Colors {
  /** The color of a category; gray for uncategorized, which is drawn hatched. */
  of(path: Path | null | undefined): string;
  isNone(path: Path | null | undefined): boolean;
}

/** Call during component initialization. */
export function useColors(): Colors {
  const known = createQuery(() => queries.categories());
  const colors = $derived(categoryColors(known.data ?? { categories: [], colors: [] }, theme.current));
  return {
    of: (path) => (path && ancestorColor(path, colors)) || UNCATEGORIZED[theme.current],
    isNone: (path) => !path || path.length === 0 || (path.length === 1 && path[0] === "Uncategorized"),
  };
}
