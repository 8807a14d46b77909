// The scopes of keys as text.
import { t, type Label } from "../../../core/i18n/translate.svelte";

export const SCOPES = ["append", "read", "sync", "full"] as const;
export type Scope = (typeof SCOPES)[number];

export const SCOPE_LABELS: Record<Scope, Label> = {
  append: () => t("access.scopeAppend"),
  read: () => t("access.scopeRead"),
  sync: () => t("access.scopeSync"),
  full: () => t("access.scopeFull"),
};

export const SCOPE_MEANINGS: Record<Scope, Label> = {
  append: () => t("access.createsBucketsAndSendsHeartbeats"),
  read: () => t("access.readsQueriesAndExportsCannotRecord"),
  sync: () => t("access.storesTheFilesOfSyncAndNothing"),
  full: () => t("access.canDoEverythingKeysSettingsAndThe"),
};

/** "append-only · aw-watcher-web-firefox", "read-only · all buckets", "sync" */
export function reach(scope: Scope, buckets: readonly string[]): string {
  if (scope === "sync") return SCOPE_LABELS.sync();
  const where = buckets.length === 0 ? t("access.allBuckets") : buckets.join(", ");
  return `${SCOPE_LABELS[scope]()} · ${where}`;
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
