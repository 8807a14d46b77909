// The scopes of keys as text.
import { t } from "../../../core/i18n/translate.svelte";

export const SCOPES = ["append", "read", "full"] as const;
export type Scope = (typeof SCOPES)[number];

export const SCOPE_LABELS: Record<Scope, string> = {
  get append() {
    return t("access.scopeAppend");
  },
  get read() {
    return t("access.scopeRead");
  },
  get full() {
    return t("access.scopeFull");
  },
};

export const SCOPE_MEANINGS: Record<Scope, string> = {
  get append() {
    return t("access.createsBucketsAndSendsHeartbeats");
  },
  get read() {
    return t("access.readsQueriesAndExportsCannotRecord");
  },
  get full() {
    return t("access.canDoEverythingKeysSettingsAndThe");
  },
};

/** "append-only · aw-watcher-web-firefox", "read-only · all buckets" */
export function reach(scope: Scope, buckets: readonly string[]): string {
  const where = buckets.length === 0 ? t("access.allBuckets") : buckets.join(", ");
  return `${SCOPE_LABELS[scope]} · ${where}`;
}

/** Bucket names as the user types them: one per line, or separated by commas. */
export function parseBuckets(text: string): string[] {
  return [
    ...new Set(
      text
        .split(/[\n,]/)
        .map((name) => name.trim())
        .filter(Boolean),
    ),
  ];
}
