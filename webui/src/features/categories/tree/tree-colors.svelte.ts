// The colors of categories while they are edited.
import { createQuery } from "@tanstack/svelte-query";
import { theme } from "../../../core/api/colors.svelte";
import { queries } from "../../../core/api/queries";
import type { Category, Path } from "../rules/rules";
import { ancestorColor, draftColor, pathKey, UNCATEGORIZED } from "../../../core/color/palette";

/** Until it is saved, a new automatic color is that of the parent. */
export function useDraftColors(list: () => readonly Category[]) {
  const known = createQuery(() => queries.categories());
  const colors = $derived.by(() => {
    const { categories = [], colors = [] } = known.data ?? {};
    const saved = new Map(categories.map(({ id, color }, place) => [id, { color, shown: colors[place] }]));
    return new Map(
      list().flatMap(({ id, name, color }) => {
        const before = id === null ? undefined : saved.get(id);
        const isSaved = before !== undefined && before.color === color;
        const shown = isSaved ? before.shown?.[theme.current] : draftColor(color, theme.current);
        return shown ? [[pathKey(name), shown] as const] : [];
      }),
    );
  });
  return {
    of: (path: Path | null): string => (path && ancestorColor(path, colors)) || UNCATEGORIZED[theme.current],
  };
}
