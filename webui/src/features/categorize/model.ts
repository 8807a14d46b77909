// The categories with a new rule, and which of them match what is typed.
import { addCondition, categoryAt, change } from "../categories/draft/edit";
import { sameCondition, samePath, type Category, type Condition, type Path } from "../categories/rules/rules";
import { matchRank } from "../../core/text/match";
import { pathLabel } from "../../core/text/paths";

/** The categories with these conditions in one of them and in no other. */
export function assign(
  list: readonly Category[],
  conditions: readonly Condition[],
  path: Path,
): readonly Category[] {
  const isMoved = (condition: Condition) => conditions.some((each) => sameCondition(each, condition));
  const others = list.map((category) =>
    samePath(category.name, path) || !category.conditions.some(isMoved)
      ? category
      : { ...category, conditions: category.conditions.filter((each) => !isMoved(each)) },
  );
  return conditions.reduce<readonly Category[]>(
    (next, condition) =>
      categoryAt(next, path)?.conditions.some((each) => sameCondition(each, condition))
        ? next
        : addCondition(next, path, condition),
    others,
  );
}

/** The categories with the priority of one raised above that of another. */
export function raise(list: readonly Category[], path: Path, above: Path): readonly Category[] {
  const other = categoryAt(list, above);
  return other ? change(list, path, { priority: priorityOf(other) + 1 }) : list;
}

/** Without a priority of its own, a category has ten for each name in its path. */
function priorityOf({ name, priority, rule }: Category): number {
  return priority ?? rule?.priority ?? 10 * name.length;
}

export interface Option {
  readonly path: Path;
  readonly isNew: boolean;
}

/** The categories that match the typed text, the best first, and a new one of that name. */
export function optionsFor(paths: readonly Path[], typed: string): Option[] {
  const named = typed.split(/[/›]/).map((name) => name.trim());
  const found = paths
    .map((path) => ({ path, rank: matchRank(pathLabel(path), named.join(" › ")) }))
    .filter((each): each is { path: Path; rank: number } => each.rank !== undefined)
    .sort((one, other) => one.rank - other.rank)
    .map(({ path }) => ({ path, isNew: false }));
  const isKnown = paths.some((path) => path.join("/").toLowerCase() === named.join("/").toLowerCase());
  return named.includes("") || isKnown ? found : [...found, { path: named, isNew: true }];
}
