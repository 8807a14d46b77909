// The color of a category in the current theme.
import { createQuery } from "@tanstack/svelte-query";
import { MediaQuery } from "svelte/reactivity";
import {
  ancestorColor,
  appColor,
  categoryColors,
  UNCATEGORIZED,
  type Path,
  type Theme,
} from "../color/palette";
import { isUncategorized } from "../text/paths";
import { preferences } from "./preferences.svelte";
import { queries } from "./queries";

const prefersDark = new MediaQuery("(prefers-color-scheme: dark)");

export const theme = {
  get current(): Theme {
    const chosen = preferences.value.theme;
    return chosen === "auto" ? (prefersDark.current ? "dark" : "light") : chosen;
  },
};

/** From this share of uncategorized time on, colors of apps show more than one gray. */
const MOSTLY = 0.5;
let share = $state(0);

/** How much of the shown time has no category, which decides whether apps have colors. */
export const coloring = {
  get isByApp(): boolean {
    return share > MOSTLY;
  },
  get uncategorized(): number {
    return share;
  },
};

/** Pages report the share of uncategorized time that they show. */
export function showUncategorized(next: number): void {
  share = next;
}

export interface Colors {
  /** The color of a category. Uncategorized is gray and hatched, or has the color of its app if most time is. */
  of(path: Path | null | undefined, app?: string | null): string;
  isNone(path: Path | null | undefined, app?: string | null): boolean;
  ofApp(name: string): string;
}

/** Call during component initialization. */
export function useColors(): Colors {
  const known = createQuery(() => queries.categories());
  const colors = $derived(categoryColors(known.data ?? { categories: [], colors: [] }, theme.current));
  return {
    of: (path, app) =>
      coloring.isByApp && app && isNone(path)
        ? appColor(app, theme.current)
        : (path && ancestorColor(path, colors)) || UNCATEGORIZED[theme.current],
    isNone: (path, app) => isNone(path) && !(coloring.isByApp && app),
    ofApp: (name) => appColor(name, theme.current),
  };
}

function isNone(path: Path | null | undefined): boolean {
  return !path || isUncategorized(path);
}
