// Sign in and out: with a key, or with the one-time code of a link from `dayline open`.
import { api, body, keepSecret } from "../../core/api/client";
import { loadPreferences } from "../../core/api/preferences.svelte";
import { Problem } from "../../core/api/problem";
import { queryClient } from "../../core/api/queries";
import type { SessionView } from "../../core/api/schema";
import { loadSession, session } from "../../core/api/session.svelte";

export async function signIn(shown: { key: string } | { code: string }): Promise<SessionView> {
  const { secret, ...view } = await body(
    api.POST("/api/1/session", { body: { key: null, code: null, ...shown } }),
  );
  keepSecret(secret);
  return view;
}

/** End this browser's session and drop everything it has read. */
export async function signOut(): Promise<void> {
  await body(api.DELETE("/api/1/session"));
  keepSecret(null);
  queryClient.clear();
  await loadSession();
}

/** Sign out all other browsers; returns how many there were. */
export async function signOutOthers(): Promise<number> {
  return (await body(api.DELETE("/api/1/session/others"))).ended;
}

/** A code that signs one browser in as the owner, once, within five minutes. */
export function makeCode() {
  return body(api.POST("/api/1/session/codes"));
}

/** The one-time code in the fragment of the URL. */
export function codeOf(hash: string): string | null {
  return new URLSearchParams(hash.replace(/^#/, "")).get("code");
}

/** Sign in with the code in the URL, if there is one; returns what was wrong with it, or undefined. */
export async function signInByLink(): Promise<unknown> {
  const code = codeOf(window.location.hash);
  if (!code) return undefined;
  // The code works only once; it must not stay in the history.
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

/** A key limited to some buckets may not read server-wide preferences; the defaults apply then. */
export async function loadPreferencesIfAllowed(): Promise<void> {
  if (session.view?.needs_key && session.view.buckets.length > 0) return;
  await loadPreferences();
}

/** Check the session again when a response says that it has ended, until the returned function is called. */
export function noticeSignedOut(): () => void {
  return queryClient.getQueryCache().subscribe((event) => {
    if (event.type !== "updated" || event.action.type !== "error") return;
    const { error } = event.action;
    if (error instanceof Problem && error.status === 401) void loadSession();
  });
}
