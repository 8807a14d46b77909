/** How well a label matches what was typed: lower is better; undefined is no match. */
export function matchRank(label: string, typed: string): number | undefined {
  const [text, wanted] = [label.toLowerCase(), typed.trim().toLowerCase()];
  if (wanted === "" || text.startsWith(wanted)) return 0;
  const place = text.indexOf(wanted);
  if (place > 0) return /[\s/›._-]/.test(text[place - 1] ?? "") ? 1 : 2;
  return wanted.split(/\s+/).every((word) => text.includes(word)) ? 3 : undefined;
}
