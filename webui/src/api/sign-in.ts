// Signing in and out: by a key, or by the one-time code of a link that `dayline open` has made.
import { api, body } from "./client";
import { loadPreferences } from "./preferences.svelte";
import { Problem } from "./problem";
import { queryClient } from "./queries";
import type { SessionView } from "./schema";
import { loadSession, session } from "./session.svelte";

export function signIn(shown: { key: string } | { code: string }): Promise<SessionView> {
  return body(api.POST("/api/1/session", { body: { key: null, code: null, ...shown } }));
}

/** End this browser's session, and forget all that it was allowed to read. */
export async function signOut(): Promise<void> {
  await body(api.DELETE("/api/1/session"));
  queryClient.clear();
  await loadSession();
}

/** Sign out every browser but this one: how many there were. */
export async function signOutOthers(): Promise<number> {
  return (await body(api.DELETE("/api/1/session/others"))).ended;
}

/** A code that signs one browser in as the owner, once and within five minutes. */
export function makeCode() {
  return body(api.POST("/api/1/session/codes"));
}

/** The one-time code behind the # of the address. */
export function codeOf(hash: string): string | null {
  return new URLSearchParams(hash.replace(/^#/, "")).get("code");
}

/** Use the code that the address brings, if it brings one; what was wrong with it, or undefined. */
export async function signInByLink(): Promise<unknown> {
  const code = codeOf(window.location.hash);
  if (!code) return undefined;
  // It works once: nobody is to find it in the history.
  history.replaceState(null, "", window.location.pathname + window.location.search);
  window.dispatchEvent(new PopStateEvent("popstate"));
  try {
    await signIn({ code });
    queryClient.clear();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** A key for some buckets alone may not read what the server as a whole prefers: then the usual holds. */
export async function loadPreferencesIfAllowed(): Promise<void> {
  if (session.view?.needs_key && session.view.buckets.length > 0) return;
  await loadPreferences();
}

/** When an answer says that the session is over, look again who this is; until the function that is given back is called. */
export function noticeSignedOut(): () => void {
  return queryClient.getQueryCache().subscribe((event) => {
    if (event.type !== "updated" || event.action.type !== "error") return;
    const { error } = event.action;
    if (error instanceof Problem && error.status === 401) void loadSession();
  });
}
