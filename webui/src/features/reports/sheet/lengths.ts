// Durations as the server writes them in URLs: 15m, 1h, 90s.

const UNITS: Record<string, string> = { s: "s", m: "min", h: "h" };

/** "15 min", "1 h"; invalid text stays as it is. */
export function lengthLabel(text: string): string {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(s|m|h)?$/.exec(text) ?? [];
  return count ? `${count} ${UNITS[unit ?? "m"]}` : text;
}

/** Durations to choose from, including the current one. */
export function lengthChoices(
  usual: readonly string[],
  chosen: string,
  none = "0 min",
): { value: string; label: string }[] {
  const all = usual.includes(chosen) ? usual : [...usual, chosen];
  return all.map((value) => ({ value, label: value === "0m" ? none : lengthLabel(value) }));
}
