// Addresses of pages that keep what the context bar says.
import { location } from "../../lib/url/location.svelte";
import { formatHash } from "../../lib/url/route";
import { parseView, viewParams, type View } from "../../lib/url/view";

/** The address of a page with the present view, changed where `changes` says so, and with parameters of its own. */
export function hrefOf(
  page: string | readonly string[],
  changes: Partial<View> = {},
  own: Record<string, string> = {},
): string {
  const view = { ...parseView(location.params), ...changes };
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(viewParams(view))) {
    for (const each of Array.isArray(value) ? value : value ? [value as string] : [])
      params.append(name, each);
  }
  for (const [name, value] of Object.entries(own)) params.set(name, value);
  return formatHash(typeof page === "string" ? [page] : page, params);
}
