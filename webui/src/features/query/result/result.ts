// The result of a query for display: tables of rows, and single values.
import { csv } from "../../../core/text/csv";

export const MAX_ROWS = 10_000;

export interface Grid {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** Total number of rows, of which at most MAX_ROWS are shown. */
  readonly total: number;
  /** Whether the rows are events; then the first columns are time and duration. */
  readonly isEvents: boolean;
}

export type Part =
  | { readonly kind: "grid"; readonly name: string; readonly grid: Grid }
  | { readonly kind: "value"; readonly name: string; readonly value: unknown };

interface Event {
  readonly timestamp: string;
  readonly duration: number;
  readonly data: Readonly<Record<string, unknown>>;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isEvent(value: unknown): value is Event {
  return (
    isRecord(value) &&
    typeof value.timestamp === "string" &&
    typeof value.duration === "number" &&
    isRecord(value.data)
  );
}

/** A dictionary has a part for each value; everything else is one part. */
export function partsOf(result: unknown): Part[] {
  if (!isRecord(result) || isEvent(result)) return [partOf("", result)];
  return Object.entries(result).map(([name, value]) => partOf(name, value));
}

function partOf(name: string, value: unknown): Part {
  return Array.isArray(value) ? { kind: "grid", name, grid: gridOf(value) } : { kind: "value", name, value };
}

export function gridOf(all: readonly unknown[]): Grid {
  const shown = all.slice(0, MAX_ROWS);
  if (shown.length > 0 && shown.every(isEvent)) {
    const fields = fieldsOf(shown.map((event) => event.data));
    return {
      columns: ["timestamp", "duration", ...fields],
      rows: shown.map((event) => [
        event.timestamp,
        event.duration,
        ...fields.map((field) => event.data[field]),
      ]),
      total: all.length,
      isEvents: true,
    };
  }
  if (shown.length > 0 && shown.every(isRecord)) {
    const fields = fieldsOf(shown);
    return {
      columns: fields,
      rows: shown.map((row) => fields.map((field) => row[field])),
      total: all.length,
      isEvents: false,
    };
  }
  return { columns: ["value"], rows: shown.map((value) => [value]), total: all.length, isEvents: false };
}

function fieldsOf(records: readonly Readonly<Record<string, unknown>>[]): string[] {
  const fields = new Set<string>();
  for (const record of records) for (const field of Object.keys(record)) fields.add(field);
  return [...fields];
}

export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value.join(" › ");
  return JSON.stringify(value);
}

/** The result as CSV. */
export function csvOf(grid: Grid): string {
  const rows = grid.rows.map((row) =>
    row.map((value) => (typeof value === "number" ? value : cellText(value))),
  );
  return csv([grid.columns, ...rows]);
}

export interface Bar {
  readonly label: string;
  readonly seconds: number;
}

/** The column that labels the bars of a chart: the category, else the first text column. */
export function labelColumn(grid: Grid): string | undefined {
  if (!grid.isEvents) return undefined;
  const hasTexts = (column: string) => {
    const place = grid.columns.indexOf(column);
    return grid.rows.some((row) => cellText(row[place]) !== "");
  };
  return ["$category", ...grid.columns.slice(2)].find(
    (column) => grid.columns.includes(column) && hasTexts(column),
  );
}

/** Durations summed by the label column, the longest first; undefined if there is nothing to draw. */
export function barsOf(grid: Grid, column = labelColumn(grid)): Bar[] | undefined {
  const place = column === undefined ? -1 : grid.columns.indexOf(column);
  if (place < 0) return undefined;
  const sums = new Map<string, number>();
  for (const row of grid.rows) {
    const label = cellText(row[place]);
    sums.set(label, (sums.get(label) ?? 0) + Number(row[1]));
  }
  return [...sums].map(([label, seconds]) => ({ label, seconds })).toSorted((a, b) => b.seconds - a.seconds);
}
