// Two edits of the same category list: their differences, and a three-way merge.
import { t, type Label } from "../../../core/i18n/translate.svelte";
import {
  conditionText,
  isSame,
  sameCondition,
  samePath,
  type Category,
  type Condition,
  type Path,
} from "../rules/rules";

export interface Difference {
  readonly kind: "added" | "removed" | "changed" | "moved";
  readonly path: Path;
  /** What differs, each as a short text. */
  readonly details: readonly string[];
}

/** The changes that turn the first list into the second. */
export function differences(before: readonly Category[], after: readonly Category[]): Difference[] {
  const found: Difference[] = [];
  for (const old of before) {
    if (!counterpart(old, after))
      found.push({ kind: "removed", path: old.name, details: old.conditions.map(conditionText) });
  }
  for (const each of after) {
    const old = counterpart(each, before);
    if (!old) found.push({ kind: "added", path: each.name, details: rulesOf(each) });
    else {
      const details = detailsOf(old, each);
      if (details.length > 0) found.push({ kind: "changed", path: each.name, details });
    }
  }
  const kept = (list: readonly Category[], other: readonly Category[]) =>
    list
      .filter((each) => counterpart(each, other))
      .map((each) => counterpart(each, before)?.name ?? each.name);
  if (found.length === 0 && !isSame(kept(before, after), kept(after, before)))
    found.push({ kind: "moved", path: [], details: [t("categories.differentOrder")] });
  return found;
}

function rulesOf(category: Category): string[] {
  return [
    ...category.conditions.map(conditionText),
    ...(category.rule ? [t("categories.regexRule", { regex: category.rule.regex })] : []),
  ];
}

function detailsOf(old: Category, now: Category): string[] {
  const details: string[] = [];
  if (!samePath(old.name, now.name)) details.push(t("categories.wasCalled", { name: old.name.join(" › ") }));
  for (const condition of now.conditions)
    if (!old.conditions.some((each) => sameCondition(each, condition)))
      details.push(`+ ${conditionText(condition)}`);
  for (const condition of old.conditions)
    if (!now.conditions.some((each) => sameCondition(each, condition)))
      details.push(`− ${conditionText(condition)}`);
  if (!isSame(old.rule, now.rule)) {
    if (old.rule) details.push(t("categories.regexRuleRemoved", { regex: old.rule.regex }));
    if (now.rule)
      details.push(
        now.rule.ignore_case
          ? t("categories.regexRuleAddedIgnoringCase", { regex: now.rule.regex })
          : t("categories.regexRuleAdded", { regex: now.rule.regex }),
      );
  }
  if (old.priority !== now.priority)
    details.push(
      t("categories.priorityChange", {
        priority: old.priority ?? t("categories.automatic"),
        priority2: now.priority ?? t("categories.automatic"),
      }),
    );
  if (old.color !== now.color)
    details.push(
      t("categories.color", {
        color: old.color ?? t("categories.automatic"),
        color2: now.color ?? t("categories.automatic"),
      }),
    );
  if (old.is_always_active !== now.is_always_active)
    details.push(
      now.is_always_active ? t("categories.countsEvenWhileAway") : t("categories.countsOnlyWhileActive"),
    );
  if (details.length === 0 && !isSame(old.data, now.data)) details.push(t("categories.dataOfOtherPrograms"));
  if (details.length === 0 && !isSame(old.conditions, now.conditions))
    details.push(t("categories.conditionsInADifferentOrder"));
  return details;
}

/** The same category in another list: by id, or by path if it has no id. */
function counterpart(category: Category, list: readonly Category[]): Category | undefined {
  const byNumber = category.id === null ? undefined : list.find((each) => each.id === category.id);
  return byNumber ?? list.find((each) => samePath(each.name, category.name));
}

export interface Conflict {
  readonly path: Path;
  /** What both sides changed, or that one side removed what the other changed. */
  readonly what: string;
}

export interface Merged {
  readonly list: readonly Category[];
  /** Conflicts; the merged list has my version. */
  readonly conflicts: readonly Conflict[];
}

/** Merge two edits of `base`. If they contradict each other, mine wins and the conflict is reported. */
export function merge(
  base: readonly Category[],
  mine: readonly Category[],
  theirs: readonly Category[],
): Merged {
  const conflicts: Conflict[] = [];
  const list: Category[] = [];
  for (const own of mine) {
    const old = counterpart(own, base);
    const other = counterpart(own, theirs);
    if (other) list.push(together(old, own, other, conflicts));
    else if (!old) list.push(own);
    else if (!isSame(old, own)) {
      conflicts.push({ path: own.name, what: t("categories.changedHereRemovedThere") });
      list.push({ ...own, id: null });
    }
  }
  theirs.forEach((other, place) => {
    if (counterpart(other, mine)) return;
    const old = counterpart(other, base);
    if (old && isSame(old, other)) return; // removed here, untouched there
    if (old) conflicts.push({ path: other.name, what: t("categories.removedHereChangedThere") });
    insertAfter(list, theirs.slice(0, place).reverse(), other);
  });
  return { list, conflicts };
}

/** Insert a category after the nearest one that preceded it. */
function insertAfter(list: Category[], before: readonly Category[], category: Category): void {
  for (const each of before) {
    const found = list.findIndex((own) => own === counterpart(each, list));
    if (found >= 0) {
      list.splice(found + 1, 0, category);
      return;
    }
  }
  list.unshift(category);
}

const SINGLE = ["name", "rule", "priority", "color", "is_always_active", "data"] as const;
const FIELD_WORDS: Record<(typeof SINGLE)[number], Label> = {
  name: () => t("categories.theName"),
  rule: () => t("categories.theRegularExpression"),
  priority: () => t("categories.thePriority"),
  color: () => t("categories.theColor"),
  is_always_active: () => t("categories.whetherItCountsWhileAway"),
  data: () => t("categories.dataOfOtherPrograms"),
};

function together(
  old: Category | undefined,
  own: Category,
  other: Category,
  conflicts: Conflict[],
): Category {
  const result: Record<string, unknown> = { ...other };
  for (const field of SINGLE) {
    const isMine = !old || !isSame(own[field], old[field]);
    const isTheirs = !old || !isSame(other[field], old[field]);
    if (isMine) result[field] = own[field];
    if (isMine && isTheirs && !isSame(own[field], other[field])) {
      if (!old && isEmpty(own[field])) result[field] = other[field];
      else if (old || !isEmpty(other[field])) conflicts.push({ path: own.name, what: FIELD_WORDS[field]() });
    }
  }
  return { ...(result as unknown as Category), conditions: bothConditions(old, own, other) };
}

function isEmpty(value: unknown): boolean {
  return value === null || value === false || isSame(value, {});
}

/** Conditions merge one by one: added by either side or removed by either side. */
function bothConditions(old: Category | undefined, own: Category, other: Category): Condition[] {
  const among = (list: readonly Condition[], condition: Condition) =>
    list.some((each) => sameCondition(each, condition));
  const before = old?.conditions ?? [];
  const kept = own.conditions.filter((each) => !among(before, each) || among(other.conditions, each));
  const added = other.conditions.filter((each) => !among(before, each) && !among(own.conditions, each));
  return [...kept, ...added];
}
