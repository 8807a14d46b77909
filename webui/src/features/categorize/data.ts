// The preview of a rule, and saving it.
import { edited, readCategories, restoreVersion, saveCategories } from "../categories/data";
import { api, body } from "../../core/api/client";
import { preferences } from "../../core/api/preferences.svelte";
import { Problem } from "../../core/api/problem";
import { queryClient, rangeQuery, type SummaryQuery } from "../../core/api/queries";
import type { CategoriesChange } from "../../core/api/schema";
import type { Category } from "../categories/rules/rules";
import { view } from "../../core/url/current-view.svelte";
import { location } from "../../core/url/location.svelte";
import { sayDone } from "../../kit/overlays/toasts.svelte";
import { showsAllTime } from "../period/all-time";
import { pageNamed } from "../../core/url/pages";

export type Range = Pick<SummaryQuery, "start" | "end" | "period" | "date" | "tz" | "device">;

/** The range of the page; undefined if it has none, or all time. */
export function pageRange(): Range | undefined {
  if (!pageNamed(location.page)?.hasView || showsAllTime()) return undefined;
  return rangeQuery({ ...view.current, filters: [] });
}

export const recentRange = (): Range => ({ period: "last-30-days", tz: preferences.zone });

/** What a list of categories would change in a range. */
export const movesQuery = (list: readonly Category[] | undefined, range: Range) => ({
  queryKey: ["preview", range, list],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    body(
      api.POST("/api/1/categories/preview", {
        params: { query: range as never },
        body: { categories: list as unknown as CategoriesChange["categories"], samples: 0 },
        signal,
      }),
    ),
  enabled: list !== undefined,
  placeholderData: undefined,
  gcTime: 30_000,
  retry: false,
});

/** Change the categories and offer Undo. If another client saves at the same time, its change is kept. */
export async function changeCategories(
  change: (list: readonly Category[]) => readonly Category[],
  what: string,
): Promise<void> {
  const save = async () => {
    const before = await readCategories();
    return saveCategories(change(edited(before)), before.version?.number ?? 0, what);
  };
  const saved = await save().catch((error: unknown) => {
    if (error instanceof Problem && error.status === 412) return save();
    throw error;
  });
  sayDone(what, async () => {
    if (saved.previous === null) await saveCategories([], saved.version?.number ?? 0, "undo");
    else await restoreVersion(saved.previous);
  });
  void queryClient.invalidateQueries({
    predicate: ({ queryKey }) => ["categories", "data", "now", "search"].includes(String(queryKey[0])),
  });
}
