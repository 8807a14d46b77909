// The colours of categories while they are edited.
import { theme } from "../../api/colours.svelte";
import type { Category, Path } from "../../lib/categories/rules";
import { ancestorColour, categoryColours, UNCATEGORISED } from "../../lib/colour/palette";

export function useDraftColours(list: () => readonly Category[]) {
  const colours = $derived(categoryColours(list(), theme.current));
  return {
    of: (path: Path | null): string =>
      (path && ancestorColour(path, colours)) || UNCATEGORISED[theme.current],
  };
}
