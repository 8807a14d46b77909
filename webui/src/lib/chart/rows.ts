// Rows of lists: what a row is called, and which filter a click on it stands for.
import type { Path } from "../colour/palette";
import { pathLabel, pathText } from "../text/paths";
import { formatFilter, type Filter, type FilterField } from "../url/view";

export interface BarRow {
  /** One text by which the row is told from others. */
  readonly key: string;
  readonly label: string;
  readonly seconds: number;
  /** Of all active time, from 0 to 1. */
  readonly share: number;
  /** What it is compared with. */
  readonly prev?: number;
  readonly category?: Path;
  /** What of people's own is in the label: it is blurred while the screen is shared. */
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

/** Rows as lists show them. */
export function barRows(field: ListField, rows: readonly AnsweredRow[]): BarRow[] {
  return rows.map(({ key, seconds, share, prev, category }) => {
    const isPath = Array.isArray(key);
    return {
      key: isPath ? pathText(key) : key,
      label: isPath ? pathLabel(key) : key || "(empty)",
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

/** The address of a new rule for a row, in the words of the page of categories. */
export function draftOf(field: ListField, row: BarRow): string {
  return `${field}:is:${row.key}`;
}

/** What finds a row's time in the search, whose words know no projects. */
export function searchOf(field: ListField, row: BarRow): string {
  const words = `"${row.key.replaceAll('"', " ")}"`;
  return field === "project" ? words : `${field}:${words}`;
}
