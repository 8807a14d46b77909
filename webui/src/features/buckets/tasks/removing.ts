// Deleting an event removes it from every list at once; it comes back if the server refuses.
import type { InfiniteData } from "@tanstack/svelte-query";
import { deleteEvent, refreshBuckets } from "../data";
import { queryClient } from "../../../core/api/queries";
import type { EventPage } from "../../../core/api/schema";
import { t } from "../../../core/i18n/translate.svelte";
import { sayDone, sayFailed } from "../../../kit/overlays/toasts.svelte";

type Pages = InfiniteData<EventPage>;

export async function removeEvent(bucket: string, event: { readonly id: number }): Promise<boolean> {
  const key = ["bucket-events", bucket];
  await queryClient.cancelQueries({ queryKey: key });
  const before = queryClient.getQueriesData<Pages>({ queryKey: key });
  queryClient.setQueriesData<Pages>({ queryKey: key }, (data) => data && without(data, event.id));
  try {
    const { undo } = await deleteEvent(bucket, event.id);
    sayDone(t("common.eventDeleted"), undo);
    await refreshBuckets();
    return true;
  } catch (error) {
    for (const [each, data] of before) queryClient.setQueryData(each, data);
    sayFailed(t("common.couldNotDeleteTheEvent"), error);
    return false;
  }
}

export function without(data: Pages, id: number): Pages {
  return {
    ...data,
    pages: data.pages.map((page) => ({ ...page, events: page.events.filter((event) => event.id !== id) })),
  };
}
