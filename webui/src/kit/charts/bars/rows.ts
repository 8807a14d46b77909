// Rows of lists: their labels, and the filter that a click toggles.
import { t } from "../../../core/i18n/translate.svelte";
import type { Path } from "../../../core/color/palette";
import { pathLabel, pathText } from "../../../core/text/paths";
import { formatFilter, type Filter, type FilterField } from "../../../core/url/view";

export interface BarRow {
  /** A key that is unique in the list. */
  readonly key: string;
  readonly label: string;
  readonly seconds: number;
  /** Share of all active time, from 0 to 1. */
  readonly share: number;
  /** The comparison value. */
  readonly prev?: number;
  readonly category?: Path;
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
      isPrivate: field === "title" || field === "url",
    };
  });
}

export function filterOf(field: ListField, row: BarRow, operator: "is" | "not" = "is"): Filter {
  return { field, operator, value: row.key };
}

export function isFiltered(filters: readonly Filter[], filter: Filter): boolean {
  return filters.some((each) => formatFilter(each) === formatFilter(filter));
}

/** A search for a row's time; search has no operator for projects. */
export function searchOf(field: ListField, row: BarRow): string {
  const words = `"${row.key.replaceAll('"', " ")}"`;
  return field === "project" ? words : `${field}:${words}`;
}
