// Saved queries, in the format of ActivityWatch's web UI: both show the same list.

export interface SavedQuery {
  readonly id: string;
  readonly name: string;
  readonly query_code: string;
  /** Start and end in days before today: 0 and -1 for today. */
  readonly start_day_offset?: number;
  readonly end_day_offset?: number;
  readonly event_type?: string;
}

/** The stored queries, skipping invalid entries; unknown fields are kept. */
export function parseSaved(stored: unknown): SavedQuery[] {
  if (!Array.isArray(stored)) return [];
  return stored.filter(
    (entry): entry is SavedQuery =>
      typeof entry === "object" &&
      entry !== null &&
      ["id", "name", "query_code"].every(
        (field) => typeof (entry as Record<string, unknown>)[field] === "string",
      ),
  );
}

export function sortSaved(queries: readonly SavedQuery[]): SavedQuery[] {
  return queries.toSorted((a, b) => a.name.localeCompare(b.name) || a.id.localeCompare(b.id));
}

/** A unique id made from the letters of the name. */
export function newId(name: string, queries: readonly SavedQuery[]): string {
  const base =
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "") || "query";
  const taken = new Set(queries.map((query) => query.id));
  let id = base;
  for (let count = 2; taken.has(id); count++) id = `${base}-${count}`;
  return id;
}

/** The list with this query: replaces the one with the same id, or is appended. */
export function withQuery(queries: readonly SavedQuery[], query: SavedQuery): SavedQuery[] {
  const before = queries.find((each) => each.id === query.id);
  const others = queries.filter((each) => each.id !== query.id);
  return sortSaved([...others, { ...before, ...query }]);
}

const DAY = 86_400_000;

/** How many days one calendar date is before another. */
export function daysBetween(earlier: string, later: string): number {
  return Math.round((Date.parse(`${later}T00:00Z`) - Date.parse(`${earlier}T00:00Z`)) / DAY);
}
