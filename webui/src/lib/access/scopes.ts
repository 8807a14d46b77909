// What keys may do, in words.
export const SCOPES = ["append", "read", "full"] as const;
export type Scope = (typeof SCOPES)[number];

export const SCOPE_LABELS: Record<Scope, string> = {
  append: "append-only",
  read: "read-only",
  full: "full",
};

export const SCOPE_MEANINGS: Record<Scope, string> = {
  append: "Records: creates its buckets, sends heartbeats and events. Reads nothing and changes nothing.",
  read: "Reads, queries and exports. Changes nothing, records nothing.",
  full: "Everything. Keys, settings and the audit need one that is for all buckets.",
};

/** "append-only · aw-watcher-web-firefox", "read-only · all buckets" */
export function reach(scope: Scope, buckets: readonly string[]): string {
  const where = buckets.length === 0 ? "all buckets" : buckets.join(", ");
  return `${SCOPE_LABELS[scope]} · ${where}`;
}

/** Names of buckets as somebody types them: one a line, or with commas between. */
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
