// Page URLs that keep the state of the context bar.
import { location } from "./location.svelte";
import { formatHash } from "./route";
import { parseView, viewSearch, type View } from "./view";

/** The URL of a page with the current view, with changes and extra parameters. */
export function hrefOf(
  page: string | readonly string[],
  changes: Partial<View> = {},
  own: Record<string, string> = {},
): string {
  const view = { ...parseView(location.params), ...changes };
  const params = viewSearch(view);
  for (const [name, value] of Object.entries(own)) params.set(name, value);
  return formatHash(typeof page === "string" ? [page] : page, params);
}
