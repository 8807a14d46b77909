// The newest change of all clients, for Ctrl Z on a page that has made none.
import { api, body } from "../../core/api/client";
import { preferences } from "../../core/api/preferences.svelte";
import { session } from "../../core/api/session.svelte";
import { undoById, undoGroup, type Done } from "../../core/api/undo.svelte";
import { t } from "../../core/i18n/translate.svelte";
import { say } from "../../kit/overlays/toasts.svelte";
import { changesOf } from "./changes";

/** Show the newest change with its undo: nothing is undone that the user did not see. */
export async function offerNewest(): Promise<void> {
  if (!session.isFull) return;
  const [change] = changesOf(await body(api.GET("/api/1/trash")), preferences.zone);
  const [latest] = change?.items ?? [];
  if (!change || !latest) return say(t("changes.nothing"));
  const what = [change.text, ...change.buckets.slice(0, 1)].join(": ");
  const act: Done = change.group ? { what, undo: () => undoGroup(change.group) } : undoById(what, latest.id);
  say(t("changes.undoNewest", { change: what }), act);
}
