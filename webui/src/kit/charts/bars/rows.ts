// Rows of lists: their labels, and the filter that a click toggles.
import { t } from "../../../core/i18n/translate.svelte";
import type { Path } from "../../../core/color/palette";
import type { Level } from "../../../core/categories/level.svelte";
import { categoryFilter, treeRows, type Branch } from "../../../core/categories/tree";
import { pathLabel, pathText } from "../../../core/text/paths";
import { formatFilter, type Filter, type FilterField } from "../../../core/url/view";

export interface BarRow {
  /** A key that is unique in the list. */
  readonly key: string;
  /** What a click filters by, if that is not the key. */
  readonly filter?: Filter;
  /** How far a category below another one is indented. */
  readonly indent?: number;
  /** Whether the categories below it are shown; undefined if it has none. */
  readonly isOpen?: boolean;
  readonly label: string;
  readonly seconds: number;
  /** Share of all active time, from 0 to 1. */
  readonly share: number;
  /** The comparison value. */
  readonly prev?: number;
  readonly category?: Path;
  /** The app or site whose color it has if most time has no category. */
  readonly app?: string;
  /** A color of its own, instead of that of the category. */
  readonly color?: string;
  /** Whether the label is private; it is blurred in screen-sharing mode. */
  readonly isPrivate?: boolean;
}

export type ListField = Extract<FilterField, "category" | "app" | "title" | "domain" | "project" | "url">;

interface AnsweredRow {
  readonly key: string | string[];
  readonly seconds: number;
  readonly share: number;
  readonly prev?: number;
  readonly category?: string[];
}

/** Rows for display. */
export function barRows(field: ListField, rows: readonly AnsweredRow[]): BarRow[] {
  return rows.map(({ key, seconds, share, prev, category }) => {
    const isPath = Array.isArray(key);
    return {
      key: isPath ? pathText(key) : key,
      label: isPath ? pathLabel(key) : key || t("common.empty"),
      seconds,
      share,
      prev,
      category: isPath ? key : category,
      app: !isPath && (field === "app" || field === "domain") ? key : undefined,
      isPrivate: field === "title" || field === "url",
    };
  });
}

/** The rows of a tree of categories. */
export function categoryRows(
  tree: readonly Branch[],
  level: Level,
  isOpen: (path: Path) => boolean = () => false,
): BarRow[] {
  return treeRows(tree, level, isOpen).map(({ path, isItself, ...row }) => ({
    ...row,
    key: isItself ? `${pathText(path)} ` : pathText(path),
    filter: categoryFilter(path, isItself),
    category: path,
  }));
}

export function filterOf(field: ListField, row: BarRow): Filter {
  return row.filter ?? { field, operator: "is", value: row.key };
}

/** The filters that leave out what a row counts. */
export function withoutFilters(field: ListField, row: BarRow, tree: readonly Branch[]): Filter[] {
  const { operator, value } = filterOf(field, row);
  if (operator !== "under") return [{ field, operator: "not", value }];
  const path = row.category ?? [];
  return tree
    .filter(({ key }) => path.every((name, place) => key[place] === name))
    .map(({ key }) => ({ field, operator: "not", value: pathText(key) }));
}

export function isFiltered(filters: readonly Filter[], filter: Filter): boolean {
  return filters.some((each) => formatFilter(each) === formatFilter(filter));
}

/** A search for a row's time; search has no operator for projects. */
export function searchOf(field: ListField, row: BarRow): string {
  const words = `"${filterOf(field, row).value.replaceAll('"', " ")}"`;
  return field === "project" ? words : `${field}:${words}`;
}
