// The options of a report in the URL, and the query for the server.
import { firstOfWeek, shift, type IsoDate, type Period, type WeekStart } from "../../core/time/period";
import type { View } from "../../core/url/view";

export const FIELDS = ["category", "project", "app", "title", "label"] as const;
export type SheetField = (typeof FIELDS)[number];
const ROUNDINGS = ["none", "nearest", "up", "down"] as const;
export type Rounding = (typeof ROUNDINGS)[number];

export interface ReportOptions {
  readonly by: SheetField;
  /** What a row of the timesheet is. */
  readonly lines: "days" | "keys";
  readonly round: Rounding;
  readonly to: string;
  readonly per: "entry" | "day";
  readonly least: string;
  readonly gaps: string;
  readonly rate: string;
  readonly rates: string;
  readonly currency: string;
  readonly title: string;
  readonly notes: "on" | "off";
  readonly away: "exclude" | "include";
  readonly annotations: "on" | "off";
}

export const USUAL: ReportOptions = {
  by: "category",
  lines: "days",
  round: "none",
  to: "15m",
  per: "day",
  least: "0m",
  gaps: "0m",
  rate: "",
  rates: "",
  currency: "",
  title: "",
  notes: "on",
  away: "exclude",
  annotations: "on",
};

const CHOICES: { readonly [Name in keyof ReportOptions]?: readonly string[] } = {
  by: FIELDS,
  lines: ["days", "keys"],
  round: ROUNDINGS,
  per: ["entry", "day"],
  notes: ["on", "off"],
  away: ["exclude", "include"],
  annotations: ["on", "off"],
};
const NAMES = Object.keys(USUAL) as (keyof ReportOptions)[];

export function parseReport(params: URLSearchParams): ReportOptions {
  const read = NAMES.flatMap((name) => {
    const value = params.get(name);
    return value && (CHOICES[name]?.includes(value) ?? true) ? [[name, value]] : [];
  });
  return { ...USUAL, ...Object.fromEntries(read) };
}

/** The URL parameters; defaults are omitted. */
export function reportParams(changes: Partial<ReportOptions>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(changes).map(([name, value]) => [
      name,
      value === USUAL[name as keyof ReportOptions] ? undefined : value,
    ]),
  );
}

/** The server's parameters: everything that differs from its defaults, which are the same. */
export function sheetQuery(options: ReportOptions): Record<string, string> {
  const isRounded = options.round !== "none";
  const asked = NAMES.filter(
    (name) => name !== "lines" && (name !== "per" || isRounded) && options[name] !== USUAL[name],
  );
  return Object.fromEntries(asked.map((name) => [name, options[name]]));
}

/** A timesheet of one day has one row: without a longer period it covers the month around that day. */
export function reportView(view: View): View {
  return view.period === "day" && !view.range ? { ...view, period: "month" } : view;
}

export const PRESETS = ["week", "last-week", "month", "last-month", "year", "last-year"] as const;
export type Preset = (typeof PRESETS)[number];

/** The view of a named period. */
export function viewOfPreset(preset: Preset, today: IsoDate): Pick<View, "period" | "date" | "range"> {
  const period = preset.replace("last-", "") as Period;
  const date = preset.startsWith("last-") ? shift(today, period, -1) : undefined;
  return { period, date, range: undefined };
}

/** The name of a period: the current one or the previous one. */
export function presetOf(view: View, today: IsoDate, weekStart: WeekStart): Preset | undefined {
  if (view.range || view.period === "day") return undefined;
  const { period, date } = view;
  const nameOf = (of: IsoDate) =>
    period === "week" ? firstOfWeek(of, weekStart) : of.slice(0, period === "month" ? 7 : 4);
  const isSame = (other: IsoDate) => date !== undefined && nameOf(date) === nameOf(other);
  if (date === undefined || isSame(today)) return period;
  return isSame(shift(today, period, -1)) ? `last-${period}` : undefined;
}

/** The URL parameters for a saved report; undefined for a period without a view. */
export function keptParams(
  parameters: Readonly<Record<string, string | readonly string[]>>,
  today: IsoDate,
): Record<string, string | readonly string[] | undefined> | undefined {
  const preset = PRESETS.find((each) => each === (parameters.period ?? "month"));
  if (!preset) return undefined;
  const view = viewOfPreset(preset, today);
  return {
    ...optionParams(parameters),
    period: view.period,
    date: view.date,
    start: undefined,
    end: undefined,
  };
}

/** The parameters that are not about time, with unset ones removed. */
export function optionParams(
  parameters: Readonly<Record<string, string | readonly string[]>>,
): Record<string, string | readonly string[] | undefined> {
  const named = NAMES.map((name) => [name, name === "lines" ? undefined : parameters[name]] as const);
  return {
    ...Object.fromEntries(named),
    per: parameters.round ? (parameters.per ?? USUAL.per) : undefined,
    filter: parameters.filter,
    device: parameters.device,
  };
}
