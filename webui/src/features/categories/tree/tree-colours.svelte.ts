// The colours of categories while they are edited.
import { theme } from "../../../core/api/colours.svelte";
import type { Category, Path } from "../rules/rules";
import { ancestorColour, categoryColours, UNCATEGORISED } from "../../../core/colour/palette";

export function useDraftColours(list: () => readonly Category[]) {
  const colours = $derived(categoryColours(list(), theme.current));
  return {
    of: (path: Path | null): string =>
      (path && ancestorColour(path, colours)) || UNCATEGORISED[theme.current],
  };
}
