// The links of timesheet cells.
import { categoryFilter } from "../../../core/categories/tree";
import { parsePath } from "../../../core/text/paths";
import { FILTER_FIELDS, type Filter } from "../../../core/url/view";
import type { SheetField } from "../options";
import { isParent } from "./sheet";

interface Sheet {
  readonly by: SheetField;
  readonly columns: readonly { readonly key: string | readonly string[] | null }[];
}

/** The filter for what a column counts; labels have none. */
export function keyFilter(sheet: Sheet, key: string | readonly string[]): Filter | undefined {
  if (typeof key !== "string") return categoryFilter(key, isParent(sheet.columns, key));
  const field = FILTER_FIELDS.find((each) => each === sheet.by);
  return field && { field, operator: "is", value: key };
}

/** The filters of one cell: the current ones and its own. Labels and time without a key have none. */
export function cellFilters(filters: readonly Filter[], own: Filter | undefined): readonly Filter[] {
  if (!own) return filters;
  const others = filters.filter(({ field, operator }) => field !== own.field || operator === "not");
  // Filters of the same field are dropped, because they would widen this one, unless they are a part of it.
  const parts = filters.filter(
    (each) => own.operator === "under" && !others.includes(each) && isWithin(each, own),
  );
  return [...others, ...(parts.length > 0 ? parts : [own])];
}

function isWithin(part: Filter, whole: Filter): boolean {
  const path = parsePath(part.value);
  return parsePath(whole.value).every((name, place) => path[place] === name);
}
