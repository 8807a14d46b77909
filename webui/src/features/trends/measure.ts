// The measure of Trends: all active time, or one category and everything below it.
import { isUncategorized } from "../../core/text/paths";
import { pathKey, type Path } from "../../core/color/palette";

interface Values {
  readonly keys: readonly (string | readonly string[])[];
  readonly values: readonly (readonly number[])[];
  readonly total: readonly number[];
}

/** The seconds of each bin, of a category or of everything. */
export function measured(series: Values, category: Path | undefined): number[] {
  if (!category) return [...series.total];
  const rows = series.values.filter((_, place) => isUnder(series.keys[place], category));
  return series.total.map((_, bin) => rows.reduce((sum, row) => sum + (row[bin] ?? 0), 0));
}

/** All categories that occur, and their parents, sorted by name. */
export function measurable(keys: readonly (string | readonly string[])[]): string[][] {
  const found = new Map<string, string[]>();
  for (const key of keys) {
    if (typeof key === "string") continue;
    for (let length = 1; length <= key.length; length += 1) {
      const path = key.slice(0, length);
      found.set(pathKey(path), path);
    }
  }
  return [...found.values()].sort((a, b) => a.join("\0").localeCompare(b.join("\0")));
}

/** The share of time without a category. */
export function noneShare(series: Values): number {
  const all = series.total.reduce((sum, seconds) => sum + seconds, 0);
  const none = series.values
    .filter((_, place) => isNone(series.keys[place]))
    .flat()
    .reduce((sum, seconds) => sum + seconds, 0);
  return all > 0 ? none / all : 0;
}

function isUnder(key: string | readonly string[] | undefined, path: Path): boolean {
  return Array.isArray(key) && path.every((name, place) => key[place] === name);
}

function isNone(key: string | readonly string[] | undefined): boolean {
  return key !== undefined && typeof key !== "string" && isUncategorized(key);
}
