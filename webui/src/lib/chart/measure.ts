// What is measured: all active time, or that of one category and of those below it.
import { pathKey, type Path } from "../colour/palette";

interface Values {
  readonly keys: readonly (string | readonly string[])[];
  readonly values: readonly (readonly number[])[];
  readonly total: readonly number[];
}

/** The seconds of each bin: of a category, or of everything where there is none. */
export function measured(series: Values, category: Path | undefined): number[] {
  if (!category) return [...series.total];
  const rows = series.values.filter((_, place) => isUnder(series.keys[place], category));
  return series.total.map((_, bin) => rows.reduce((sum, row) => sum + (row[bin] ?? 0), 0));
}

/** All categories that occur, and those above them, in the order of their names. */
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

function isUnder(key: string | readonly string[] | undefined, path: Path): boolean {
  return Array.isArray(key) && path.every((name, place) => key[place] === name);
}
