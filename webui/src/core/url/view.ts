// The state of the context bar, and how it is written in the URL.
import { isIsoDate, PERIODS, type IsoDate, type Period } from "../time/period";

export const COMPARISONS = ["previous", "year", "typical"] as const;
export type Comparison = (typeof COMPARISONS)[number];

export const FILTER_FIELDS = [
  "category",
  "app",
  "title",
  "domain",
  "url",
  "project",
  "device",
  "bucket",
] as const;
export type FilterField = (typeof FILTER_FIELDS)[number];
const FILTER_OPERATORS = ["is", "not", "has", "under"] as const;
export type FilterOperator = (typeof FILTER_OPERATORS)[number];

export interface Filter {
  readonly field: FilterField;
  readonly operator: FilterOperator;
  readonly value: string;
}

export interface View {
  readonly period: Period;
  /** A day in the period; undefined for today. */
  readonly date: IsoDate | undefined;
  /** A custom range instead of a period: times with their offset. */
  readonly range: { readonly start: string; readonly end: string } | undefined;
  readonly devices: readonly string[];
  readonly filters: readonly Filter[];
  readonly compare: Comparison | undefined;
}

export function parseView(params: URLSearchParams): View {
  const date = params.get("date") ?? "";
  const [start, end] = [params.get("start"), params.get("end")];
  return {
    period: oneOf(PERIODS, params.get("period")) ?? "day",
    date: isIsoDate(date) ? date : undefined,
    range: start && end && isMoment(start) && isMoment(end) ? { start, end } : undefined,
    devices: params.getAll("device"),
    filters: params.getAll("filter").flatMap((text) => parseFilter(text) ?? []),
    compare: oneOf(COMPARISONS, params.get("compare")),
  };
}

/** Whether the URL names a period; a search without one covers all time. */
export function namesTime(params: URLSearchParams): boolean {
  return params.has("period") || params.has("date") || params.has("start");
}

export function viewParams(view: View): Record<string, string | readonly string[] | undefined> {
  return {
    period: view.period === "day" ? undefined : view.period,
    date: view.date,
    start: view.range?.start,
    end: view.range?.end,
    device: view.devices,
    filter: view.filters.map(formatFilter),
    compare: view.compare,
  };
}

/** The parameters of a view that differs from the default by these changes. */
export function viewSearch(changes: Partial<View>): URLSearchParams {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(viewParams({ ...parseView(params), ...changes })))
    for (const each of listed(value)) params.append(name, each);
  return params;
}

/** The values of a parameter: none, one or several. */
export function listed(value: string | readonly string[] | undefined): readonly string[] {
  return typeof value === "string" ? (value ? [value] : []) : (value ?? []);
}

function parseFilter(text: string): Filter | undefined {
  const [fieldText, operatorText, ...rest] = text.split(":");
  const field = oneOf(FILTER_FIELDS, fieldText);
  const operator = oneOf(FILTER_OPERATORS, operatorText);
  const value = rest.join(":");
  return field && operator && value ? { field, operator, value } : undefined;
}

export function formatFilter(filter: Filter): string {
  return `${filter.field}:${filter.operator}:${filter.value}`;
}

/** The filters with one added, or removed if it was there. */
export function toggleFilter(filters: readonly Filter[], filter: Filter): Filter[] {
  const text = formatFilter(filter);
  const others = filters.filter((each) => formatFilter(each) !== text);
  return others.length < filters.length ? others : [...filters, filter];
}

function isMoment(text: string): boolean {
  return /T.*(Z|[+-]\d{2}:?\d{2})$/.test(text) && !Number.isNaN(Date.parse(text));
}

function oneOf<T extends string>(known: readonly T[], text: string | null | undefined): T | undefined {
  return known.find((each) => each === text);
}
