// What pages request while their code is still being loaded.
import { prefetch as prefetchTimeline } from "../features/events/prefetch";
import { prefetch as prefetchToday } from "../features/today/data";

/** Request what a page will show. */
export function prefetch(page: string): void {
  if (page === "today") prefetchToday();
  if (page === "timeline") prefetchTimeline();
}
