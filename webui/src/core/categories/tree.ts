// Categories as rows: a parent has the time of everything below it, and opens to its children and itself.
import type { Path } from "../color/palette";
import { isUncategorized, itselfLabel, pathLabel, pathText } from "../text/paths";
import type { Filter } from "../url/view";
import type { Level } from "./level.svelte";

export interface Branch {
  readonly key: readonly string[];
  readonly seconds: number;
  readonly own: number;
  readonly share: number;
  readonly prev?: number;
  readonly prev_own?: number;
}

export interface TreeRow {
  readonly path: Path;
  readonly label: string;
  readonly seconds: number;
  readonly share: number;
  readonly prev?: number;
  /** The time directly in a category that has others below it. */
  readonly isItself: boolean;
  /** How far it is indented. */
  readonly indent: number;
  /** Whether its children are shown; undefined if it has none. */
  readonly isOpen?: boolean;
}

/** The visible rows of a tree, in which each category is before those below it. */
export function treeRows(tree: readonly Branch[], level: Level, isOpen: (path: Path) => boolean): TreeRow[] {
  return level === "all" ? leaves(tree) : branches(tree, [], isOpen);
}

/** Every category alone, those with the most time first. */
function leaves(tree: readonly Branch[]): TreeRow[] {
  return tree
    .filter(({ own }) => own > 0)
    .map((branch) => ({ ...own(branch), indent: 0 }))
    .sort((one, other) => other.seconds - one.seconds);
}

function branches(tree: readonly Branch[], above: Path, isOpen: (path: Path) => boolean): TreeRow[] {
  const children = tree.filter(
    ({ key }) => key.length === above.length + 1 && above.every((name, place) => key[place] === name),
  );
  return children.flatMap((branch) => {
    const { key, seconds, share, prev } = branch;
    const hasChildren = seconds > branch.own;
    const open = hasChildren ? isOpen(key) : undefined;
    const row: TreeRow = {
      path: key,
      label: above.length ? (key.at(-1) ?? "") : pathLabel(key),
      seconds,
      share,
      prev,
      isItself: false,
      indent: above.length,
      isOpen: open,
    };
    if (!open) return [row];
    const itself = branch.own > 0 ? [{ ...own(branch), indent: above.length + 1 }] : [];
    return [row, ...branches(tree, key, isOpen), ...itself];
  });
}

function own({ key, seconds, own: time, share, prev_own }: Branch): TreeRow {
  const isItself = time < seconds;
  return {
    path: key,
    label: isItself ? itselfLabel(key) : pathLabel(key),
    seconds: time,
    share: seconds > 0 ? (share * time) / seconds : 0,
    prev: prev_own,
    isItself,
    indent: 0,
  };
}

/** What a click on a category filters by: it and everything below it, or only itself. */
export function categoryFilter(path: Path, isItself = false): Filter {
  return {
    field: "category",
    operator: isItself || isUncategorized(path) ? "is" : "under",
    value: pathText(path),
  };
}

/** The share of a tree's time that has no category. */
export function uncategorizedShare(tree: readonly Branch[]): number {
  return tree.find(({ key }) => isUncategorized(key))?.share ?? 0;
}

/** The name of a key of a chart. `parents` have time in other keys, below them. */
export function keyLabel(path: Path, parents: readonly Path[] = []): string {
  return isAmong(path, parents) ? itselfLabel(path) : pathLabel(path);
}

export function isAmong(path: Path, paths: readonly Path[]): boolean {
  return paths.some(
    (each) => each.length === path.length && each.every((name, place) => name === path[place]),
  );
}
