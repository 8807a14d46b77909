// The word that stands for all categories, which queries of the existing web UI use.
export const CATEGORIES = "__CATEGORIES__";

/** The program with the rules of all categories in place of the word; the lines stay the same lines. */
export function withCategories(program: string, classes: unknown): string {
  if (!program.includes(CATEGORIES)) return program;
  const rules = (Array.isArray(classes) ? classes : []).flatMap((entry: unknown) => {
    const { name, rule } = (entry ?? {}) as { name?: unknown; rule?: { type?: unknown } };
    return Array.isArray(name) &&
      rule &&
      typeof rule === "object" &&
      rule.type !== "none" &&
      rule.type !== null
      ? [[name, rule]]
      : [];
  });
  // A string of the language knows one escape, that of its quote: every other backslash stays.
  const text = JSON.stringify(rules).replaceAll("\\\\", "\\");
  return program.replaceAll(CATEGORIES, () => text);
}
