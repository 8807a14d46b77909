// The starter set that would categorize most of the time, and applying it.
import { queryClient } from "../../../core/api/queries";
import type { Preview } from "../../../core/api/schema";
import { pathKey } from "../../../core/color/palette";
import { isUncategorized } from "../../../core/text/paths";
import { categoryQueries, edited, readCategories, restoreVersion, saveCategories } from "../data";
import type { Category } from "../rules/rules";

export interface StarterOffer {
  readonly title: string;
  readonly list: readonly Category[];
  readonly version: number;
  readonly share: CoveredShare;
}

export interface CoveredShare {
  readonly total: number;
  /** The time with a category now, and with the starter set. */
  readonly before: number;
  readonly after: number;
  /** The top-level categories with the most time afterwards. */
  readonly top: readonly {
    readonly path: readonly string[];
    readonly before: number;
    readonly after: number;
  }[];
}

const TOP = 6;

/** The time with a category before and after a change. */
export function coveredShare(totals: Preview["totals"]): CoveredShare {
  const sum = (of: "before" | "after", rows = totals) => rows.reduce((all, row) => all + row[of], 0);
  const named = totals.filter(({ category }) => !isUncategorized(category));
  const tops = new Map<string, { path: readonly string[]; before: number; after: number }>();
  for (const { category, before, after } of named) {
    const path = category.slice(0, 1);
    const top = tops.get(pathKey(path)) ?? { path, before: 0, after: 0 };
    tops.set(pathKey(path), { path, before: top.before + before, after: top.after + after });
  }
  return {
    total: sum("before"),
    before: sum("before", named),
    after: sum("after", named),
    top: [...tops.values()].sort((one, other) => other.after - one.after).slice(0, TOP),
  };
}

/** The categories with those of a set added that are not there yet. */
export function withSet(list: readonly Category[], set: readonly Category[]): Category[] {
  const known = new Set(list.map(({ name }) => pathKey(name)));
  return [
    ...list,
    ...set.filter(({ name }) => !known.has(pathKey(name))).map((each) => ({ ...each, id: null })),
  ];
}

/** The set that covers most of the last 30 days; null if none helps. */
export const starterOffer = () => ({
  queryKey: ["categories", "starter offer"],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<StarterOffer | null> => {
    const [sets, current] = await Promise.all([
      categoryQueries.starters().queryFn({ signal }),
      readCategories(),
    ]);
    let best: StarterOffer | null = null;
    for (const set of sets) {
      const list = withSet(edited(current), edited(set));
      const preview = await categoryQueries.preview(list, "last-30-days").queryFn({ signal });
      const share = coveredShare(preview.totals);
      if (share.after > Math.max(share.before, best?.share.after ?? 0))
        best = { title: set.title, list, version: current.version?.number ?? 0, share };
    }
    return best;
  },
});

/** Save the categories of an offer; returns the undo. */
export async function applyOffer(offer: StarterOffer, comment: string): Promise<() => Promise<void>> {
  const saved = await saveCategories(offer.list, offer.version, comment);
  await refresh();
  return async () => {
    await (saved.previous === null
      ? saveCategories([], saved.version?.number ?? 0, "undo")
      : restoreVersion(saved.previous));
    await refresh();
  };
}

function refresh(): Promise<void> {
  return queryClient.invalidateQueries({
    predicate: ({ queryKey }) =>
      ["categories", "data", "now", "preview", "search"].includes(String(queryKey[0])),
  });
}
