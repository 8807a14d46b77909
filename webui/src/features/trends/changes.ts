// What changed most between two ranges.

type Key = string | readonly string[];

interface Row {
  readonly key: Key;
  readonly seconds: number;
}

export interface Change {
  readonly key: Key;
  readonly seconds: number;
  readonly before: number;
  readonly by: number;
  /** Relative change; undefined if there was nothing before. */
  readonly share: number | undefined;
}

/** The largest differences first, including what has disappeared. Less than a minute is no change. */
export function biggestChanges(now: readonly Row[], before: readonly Row[], limit: number): Change[] {
  const rows = new Map<string, { key: Key; seconds: number; before: number }>();
  const rowOf = (key: Key) => {
    const name = JSON.stringify(key);
    const row = rows.get(name) ?? { key, seconds: 0, before: 0 };
    rows.set(name, row);
    return row;
  };
  for (const { key, seconds } of now) rowOf(key).seconds += seconds;
  for (const { key, seconds } of before) rowOf(key).before += seconds;
  return [...rows.values()]
    .map((row) => {
      const by = row.seconds - row.before;
      return { ...row, by, share: row.before > 0 ? by / row.before : undefined };
    })
    .filter((change) => Math.abs(change.by) >= 60)
    .sort((a, b) => Math.abs(b.by) - Math.abs(a.by))
    .slice(0, limit);
}
