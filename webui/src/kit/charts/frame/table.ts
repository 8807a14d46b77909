// A chart as a table: to read, and for a spreadsheet.
import { csv, csvHours, type CsvCell } from "../../../core/text/csv";

export interface TableColumn {
  readonly label: string;
  /** Times are seconds, shares from 0 to 1. */
  readonly kind: "text" | "time" | "share";
}

export interface ChartTable {
  readonly caption: string;
  readonly columns: readonly TableColumn[];
  /** A cell per column; the first one names the row. null: unknown. */
  readonly rows: readonly (readonly (string | number | null)[])[];
}

/** The table as CSV: times in hours, shares in percent. */
export function tableCsv({ columns, rows }: ChartTable): string {
  const head = columns.map(({ label, kind }) =>
    kind === "time" ? `${label} (h)` : kind === "share" ? `${label} (%)` : label,
  );
  const cells = rows.map((row) => row.map((value, place) => fileCell(value, columns[place]?.kind)));
  return csv([head, ...cells]);
}

function fileCell(value: string | number | null, kind: TableColumn["kind"] | undefined): CsvCell {
  if (typeof value !== "number") return value;
  if (kind === "time") return csvHours(value);
  return kind === "share" ? Math.round(value * 10_000) / 100 : value;
}
