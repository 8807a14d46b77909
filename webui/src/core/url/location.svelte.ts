// The current location, which follows the address bar.
import { legacyHash } from "./legacy";
import { formatHash, parseHash, type Route } from "./route";
import { listed } from "./view";

let current = $state.raw<Route>(parseHash(globalThis.location?.hash ?? ""));
/** Separate from the parameters, so that a page is not recreated when only they change. */
const page = $derived(current.path[0] ?? "today");

export const location = {
  get route(): Route {
    return current;
  },
  get page(): string {
    return page;
  },
  get params(): URLSearchParams {
    return current.params;
  },
};

type Guard = (next: Route) => boolean;
let guard: Guard | undefined;

/** Ask before leaving the page, until the returned function is called: false stays. */
export function guardLeaving(mayGo: Guard): () => void {
  guard = mayGo;
  return () => {
    if (guard === mayGo) guard = undefined;
  };
}

/** Start to follow the address bar; URLs of ActivityWatch's web UI are redirected. */
export function followAddress(): () => void {
  const read = () => {
    const better = legacyHash(window.location.hash);
    if (better !== null) history.replaceState(history.state, "", better);
    const next = parseHash(window.location.hash);
    if (guard && !guard(next)) history.pushState(null, "", formatHash(current.path, current.params));
    else current = next;
  };
  read();
  window.addEventListener("hashchange", read);
  window.addEventListener("popstate", read);
  return () => {
    window.removeEventListener("hashchange", read);
    window.removeEventListener("popstate", read);
  };
}

/** Navigate to a page, with a history entry. */
export function go(path: readonly string[], params?: URLSearchParams): void {
  const next = formatHash(path, params);
  if (guard && !guard(parseHash(next))) return;
  history.pushState(null, "", next);
  current = parseHash(window.location.hash);
}

/** Change parameters of this page: undefined and "" remove one. `replace` adds no history entry. */
export function setParams(
  changes: Record<string, string | readonly string[] | undefined>,
  { replace = false } = {},
): void {
  const params = new URLSearchParams(current.params);
  for (const [name, value] of Object.entries(changes)) {
    params.delete(name);
    for (const each of listed(value)) params.append(name, each);
  }
  const hash = formatHash(current.path.length ? current.path : ["today"], params);
  if (hash === window.location.hash) return;
  if (replace) history.replaceState(history.state, "", hash);
  else history.pushState(null, "", hash);
  current = parseHash(window.location.hash);
}
