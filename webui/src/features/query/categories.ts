// The placeholder for all categories, which queries of ActivityWatch's web UI use.
export const CATEGORIES = "__CATEGORIES__";

/** The query with the rules of all categories instead of the placeholder; line numbers stay the same. */
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
  // Strings of the query language have one escape, for the quote: every other backslash stays.
  const text = JSON.stringify(rules).replaceAll("\\\\", "\\");
  return program.replaceAll(CATEGORIES, () => text);
}
