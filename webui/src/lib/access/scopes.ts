// The scopes of keys as text.
export const SCOPES = ["append", "read", "full"] as const;
export type Scope = (typeof SCOPES)[number];

export const SCOPE_LABELS: Record<Scope, string> = {
  append: "append-only",
  read: "read-only",
  full: "full",
};

export const SCOPE_MEANINGS: Record<Scope, string> = {
  append: "Creates buckets and sends heartbeats and events. Cannot read or change anything.",
  read: "Reads, queries and exports. Cannot record or change anything.",
  full: "Can do everything. Keys, settings and the audit log need access to all buckets.",
};

/** "append-only · aw-watcher-web-firefox", "read-only · all buckets" */
export function reach(scope: Scope, buckets: readonly string[]): string {
  const where = buckets.length === 0 ? "all buckets" : buckets.join(", ");
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
