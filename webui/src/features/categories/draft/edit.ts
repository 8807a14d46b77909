// Edits of the category list. A move takes everything below along and leaves the order of the rest unchanged:
// of two rules with the same priority the later one wins, so the order matters.
import {
  isSame,
  isUnder,
  newCategory,
  samePath,
  type Category,
  type Condition,
  type Path,
} from "../rules/rules";

export interface Node {
  readonly path: Path;
  /** Undefined for a name that is only part of other paths. */
  readonly category: Category | undefined;
  readonly children: readonly Node[];
}

/** The list as a tree, in the order in which names first appear. */
export function treeOf(list: readonly Category[], above: Path = []): Node[] {
  const names = new Set<string>();
  for (const { name } of list) {
    const next = name[above.length];
    if (name.length > above.length && isUnder(name, above) && next !== undefined) names.add(next);
  }
  return [...names].map((name) => {
    const path = [...above, name];
    return {
      path,
      category: list.find((each) => samePath(each.name, path)),
      children: treeOf(list, path),
    };
  });
}

export interface VisibleNode {
  readonly node: Node;
  readonly level: number;
  readonly place: number;
  readonly siblings: number;
}

/** The rows of a tree from top to bottom, without those below collapsed nodes. */
export function visibleNodes(
  nodes: readonly Node[],
  isOpen: (path: Path) => boolean,
  level = 1,
): VisibleNode[] {
  return nodes.flatMap((node, place) => [
    { node, level, place: place + 1, siblings: nodes.length },
    ...(node.children.length > 0 && isOpen(node.path) ? visibleNodes(node.children, isOpen, level + 1) : []),
  ]);
}

export function has(list: readonly Category[], path: Path): boolean {
  return list.some(({ name }) => isUnder(name, path));
}

export function categoryAt(list: readonly Category[], path: Path): Category | undefined {
  return list.find(({ name }) => samePath(name, path));
}

/** The list with one category changed; a name that only had children becomes a category. */
export function change(list: readonly Category[], path: Path, changes: Partial<Category>): Category[] {
  if (categoryAt(list, path))
    return list.map((each) => (samePath(each.name, path) ? { ...each, ...changes } : each));
  const made = { ...newCategory(path), ...changes };
  const place = list.findIndex(({ name }) => isUnder(name, path));
  return place < 0 ? [...list, made] : [...list.slice(0, place), made, ...list.slice(place)];
}

export function addCondition(list: readonly Category[], path: Path, condition: Condition): Category[] {
  return change(list, path, { conditions: [...(categoryAt(list, path)?.conditions ?? []), condition] });
}

/** An unused path: "New category", "New category 2". */
export function freePath(list: readonly Category[], parent: Path, name: string): Path {
  for (let number = 1; ; number += 1) {
    const path = [...parent, number === 1 ? name : `${name} ${number}`];
    if (!has(list, path)) return path;
  }
}

/** The list with a new category after its siblings. */
export function add(list: readonly Category[], path: Path): Category[] {
  const parent = path.slice(0, -1);
  const last = parent.length ? list.findLastIndex(({ name }) => isUnder(name, parent)) : list.length - 1;
  const place = last < 0 ? list.length : last + 1;
  return [...list.slice(0, place), newCategory(path), ...list.slice(place)];
}

export function remove(list: readonly Category[], path: Path): Category[] {
  return list.filter(({ name }) => !isUnder(name, path));
}

/** Change the path of a category and of everything below it. Returns the list unchanged if the path is taken. */
export function repath(list: readonly Category[], from: Path, to: Path): readonly Category[] {
  if (samePath(from, to) || has(list, to) || isUnder(to, from)) return list;
  return list.map((each) =>
    isUnder(each.name, from) ? { ...each, name: [...to, ...each.name.slice(from.length)] } : each,
  );
}

/** Move a category with everything below it before or after another one, as its sibling. */
export function moveBeside(
  list: readonly Category[],
  path: Path,
  target: Path,
  side: "before" | "after",
): readonly Category[] {
  const to = [...target.slice(0, -1), path.at(-1) as string];
  if (isUnder(target, path)) return list;
  const renamed = samePath(path, to) ? list : repath(list, path, to);
  if (renamed === list && !samePath(path, to)) return list;
  const moved = renamed.filter(({ name }) => isUnder(name, to));
  const others = renamed.filter(({ name }) => !isUnder(name, to));
  const isTarget = ({ name }: Category) => isUnder(name, target);
  const place = side === "before" ? others.findIndex(isTarget) : others.findLastIndex(isTarget) + 1;
  return place < 0 ? list : [...others.slice(0, place), ...moved, ...others.slice(place)];
}

/** Move a category to the end of another one, or to the top level. */
export function moveInto(list: readonly Category[], path: Path, parent: Path): readonly Category[] {
  const to = [...parent, path.at(-1) as string];
  const renamed = repath(list, path, to);
  if (renamed === list) return list;
  const moved = renamed.filter(({ name }) => isUnder(name, to));
  const others = renamed.filter(({ name }) => !isUnder(name, to));
  const place = parent.length ? others.findLastIndex(({ name }) => isUnder(name, parent)) + 1 : others.length;
  return [...others.slice(0, place), ...moved, ...others.slice(place)];
}

export type Direction = "up" | "down" | "in" | "out";

/** Move by one step: up or down among the siblings, into the previous sibling, or out of the parent. */
export function step(
  list: readonly Category[],
  path: Path,
  direction: Direction,
): { list: readonly Category[]; path: Path } {
  const beside = siblings(list, path);
  const place = beside.findIndex((each) => samePath(each, path));
  const [before, after] = [beside[place - 1], beside[place + 1]];
  const parent = path.slice(0, -1);
  const name = path.at(-1) as string;
  let next: readonly Category[] = list;
  let to: Path = path;
  if (direction === "up" && before) next = moveBeside(list, path, before, "before");
  else if (direction === "down" && after) next = moveBeside(list, path, after, "after");
  else if (direction === "in" && before) {
    next = moveInto(list, path, before);
    to = [...before, name];
  } else if (direction === "out" && parent.length) {
    // A parent that exists only through its children would disappear with the last one, so it is created.
    const kept = categoryAt(list, parent) ? list : change(list, parent, {});
    next = moveBeside(kept, path, parent, "after");
    to = [...parent.slice(0, -1), name];
  }
  return isSame(next, list) ? { list, path } : { list: next, path: to };
}

function siblings(list: readonly Category[], path: Path): Path[] {
  const parent = path.slice(0, -1);
  const found: Path[] = [];
  for (const { name } of list) {
    const each = name.slice(0, path.length);
    if (name.length >= path.length && isUnder(name, parent) && !found.some((other) => samePath(other, each)))
      found.push(each);
  }
  return found;
}
