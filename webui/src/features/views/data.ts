import { queryClient } from "../../core/api/queries";
import { session } from "../../core/api/session.svelte";
import { changeSetting, settingQuery } from "../../core/api/settings";
import { t } from "../../core/i18n/translate.svelte";
import { sayDone, sayFailed } from "../../kit/overlays/toasts.svelte";
import { savedViewsOf, type SavedView } from "./model";

const KEY = "dayline.saved_views";

export const savedViews = () => ({
  ...settingQuery(KEY, savedViewsOf),
  enabled: session.isFull, // a key for some buckets cannot read settings
});

/** The views that the page knows, without asking for them. */
export function knownViews(): readonly SavedView[] {
  return queryClient.getQueryData<SavedView[]>(savedViews().queryKey) ?? [];
}

/** Change the views and offer Undo; returns whether it worked. */
export async function changeViews(
  change: (list: readonly SavedView[]) => readonly SavedView[],
  what: string,
): Promise<boolean> {
  try {
    sayDone(what, await changeSetting(KEY, savedViewsOf, (list) => [...change(list)]));
    return true;
  } catch (error) {
    sayFailed(t("views.couldNotSaveTheView"), error);
    return false;
  }
}

export function deleteView({ name }: SavedView): Promise<boolean> {
  return changeViews((list) => list.filter((each) => each.name !== name), t("views.viewDeleted", { name }));
}
