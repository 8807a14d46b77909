// CSV in the same format as the server's: RFC 4180, with formulas escaped.

export type CsvCell = string | number | null;

// The same characters as the server's (runtime/text.py): what leaves no mark, then what starts a formula.
const FORMULA =
  // eslint-disable-next-line no-control-regex -- control characters are what it looks for
  /^[ \u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u0000-\u001f\u007f-\u009f]/;

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
  // Titles come from web pages, and a spreadsheet would run these as formulas.
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
