// The colours of categories while they are edited.
import { createQuery } from "@tanstack/svelte-query";
import { theme } from "../../../core/api/colours.svelte";
import { queries } from "../../../core/api/queries";
import type { Category, Path } from "../rules/rules";
import { ancestorColour, draftColour, pathKey, UNCATEGORISED } from "../../../core/colour/palette";

/** Until it is saved, a new automatic colour is that of the parent. */
export function useDraftColours(list: () => readonly Category[]) {
  const known = createQuery(() => queries.categories());
  const colours = $derived.by(() => {
    const { categories = [], colors = [] } = known.data ?? {};
    const saved = new Map(categories.map(({ id, color }, place) => [id, { color, shown: colors[place] }]));
    return new Map(
      list().flatMap(({ id, name, color }) => {
        const before = id === null ? undefined : saved.get(id);
        const isSaved = before !== undefined && before.color === color;
        const shown = isSaved ? before.shown?.[theme.current] : draftColour(color, theme.current);
        return shown ? [[pathKey(name), shown] as const] : [];
      }),
    );
  });
  return {
    of: (path: Path | null): string =>
      (path && ancestorColour(path, colours)) || UNCATEGORISED[theme.current],
  };
}
