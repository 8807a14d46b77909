// The session of this browser, and which pages it may see.
import { api, body } from "./client";
import type { SessionView } from "./schema";

let view = $state.raw<SessionView | undefined>(undefined);

export const session = {
  get view(): SessionView | undefined {
    return view;
  },
  /** Whether the session has full access: the server needs no key, or the key has every scope. */
  get isFull(): boolean {
    if (!view) return false;
    return !view.needs_key || (view.is_signed_in && view.scope === "full" && view.buckets.length === 0);
  },
  get mustSignIn(): boolean {
    return view !== undefined && view.needs_key && !view.is_signed_in;
  },
};

export async function loadSession(): Promise<void> {
  view = await body(api.GET("/api/1/session"));
}
