// Counts and sizes as text.
import { formatNumber } from "../i18n/format";

/** "412,003", formatted for the locale. */
export function count(value: number): string {
  return formatNumber(value);
}

const UNITS = ["kB", "MB", "GB", "TB"] as const;

/** "71 MB", "5.3 MB", "812 B": decimal units, at least two digits. */
export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  if (value < 1000) return `${Math.round(value)} B`;
  let size = value / 1000;
  let unit = 0;
  while (size >= 999.5 && unit < UNITS.length - 1) {
    size /= 1000;
    unit += 1;
  }
  const digits = size < 9.95 ? 1 : 0;
  return `${formatNumber(size, { maximumFractionDigits: digits, minimumFractionDigits: digits })} ${UNITS[unit]}`;
}

/** "71 %" */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
