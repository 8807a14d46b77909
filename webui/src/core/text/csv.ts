// CSV in the same format as the server's: RFC 4180, with formulas escaped.

export type CsvCell = string | number | null;

/** Rows of cells as CSV. */
export function csv(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((row) => row.map(cell).join(",") + "\r\n").join("");
}

/** Hours with at most four decimals. */
export function csvHours(seconds: number): number {
  return Math.round((seconds / 3600) * 10_000) / 10_000;
}

function cell(value: CsvCell): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  // Titles come from web pages, and a spreadsheet would run these as formulas, some of them also in full-width form.
  const text = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
