// Saved views are a setting on the server, so that every browser has them.
import { api, body } from "../../core/api/client";
import { queryClient } from "../../core/api/queries";
import { session } from "../../core/api/session.svelte";
import { t } from "../../core/i18n/translate.svelte";
import { sayDone, sayFailed } from "../../kit/overlays/toasts.svelte";
import { savedViewsOf, type SavedView } from "./model";

const KEY = "dayline.saved_views";

async function read(signal?: AbortSignal): Promise<SavedView[]> {
  const { data } = await api.GET("/api/0/settings/{key}", { params: { path: { key: KEY } }, signal });
  return savedViewsOf(data);
}

export const savedViews = () => ({
  queryKey: ["settings", KEY],
  queryFn: ({ signal }: { signal: AbortSignal }) => read(signal),
  enabled: session.isFull, // a key for some buckets cannot read settings
});

/** The views that the page knows, without asking for them. */
export function knownViews(): readonly SavedView[] {
  return queryClient.getQueryData<SavedView[]>(savedViews().queryKey) ?? [];
}

async function write(list: readonly SavedView[]): Promise<void> {
  await body(api.POST("/api/0/settings/{key}", { params: { path: { key: KEY } }, body: list as never }));
  queryClient.setQueryData(savedViews().queryKey, list);
}

/** Change the views and offer Undo; returns whether it worked. */
export async function changeViews(
  change: (list: readonly SavedView[]) => readonly SavedView[],
  what: string,
): Promise<boolean> {
  try {
    const before = await read();
    await write(change(before));
    sayDone(what, () => write(before));
    return true;
  } catch (error) {
    sayFailed(t("views.couldNotSaveTheView"), error);
    return false;
  }
}

export function deleteView({ name }: SavedView): Promise<boolean> {
  return changeViews((list) => list.filter((each) => each.name !== name), t("views.viewDeleted", { name }));
}
