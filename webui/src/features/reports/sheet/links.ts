// The links of timesheet cells.
import { FILTER_FIELDS, type Filter } from "../../../core/url/view";
import type { SheetField } from "../options";

/** The filters of one cell: the current ones and its key. Labels and time without a key have no filter. */
export function cellFilters(
  filters: readonly Filter[],
  field: SheetField,
  value: string | undefined,
): readonly Filter[] {
  const known = FILTER_FIELDS.find((each) => each === field);
  if (!known || value === undefined) return filters;
  // Filters of the same field are dropped: they would widen this one.
  const others = filters.filter((filter) => filter.field !== known || filter.operator === "not");
  return [...others, { field: known, operator: "is", value }];
}
