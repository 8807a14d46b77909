// The colour of a category in the current theme.
import { createQuery } from "@tanstack/svelte-query";
import { MediaQuery } from "svelte/reactivity";
import { ancestorColour, categoryColours, UNCATEGORISED, type Path, type Theme } from "../colour/palette";
import { preferences } from "./preferences.svelte";
import { queries } from "./queries";

const prefersDark = new MediaQuery("(prefers-color-scheme: dark)");

export const theme = {
  get current(): Theme {
    const chosen = preferences.value.theme;
    return chosen === "auto" ? (prefersDark.current ? "dark" : "light") : chosen;
  },
};

export interface Colours {
  /** The colour of a category; grey for uncategorised, which is drawn hatched. */
  of(path: Path | null | undefined): string;
  isNone(path: Path | null | undefined): boolean;
}

/** Call during component initialisation. */
export function useColours(): Colours {
  const known = createQuery(() => queries.categories());
  const colours = $derived(categoryColours(known.data ?? { categories: [], colors: [] }, theme.current));
  return {
    of: (path) => (path && ancestorColour(path, colours)) || UNCATEGORISED[theme.current],
    isNone: (path) => !path || path.length === 0 || (path.length === 1 && path[0] === "Uncategorized"),
  };
}
