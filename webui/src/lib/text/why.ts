// A matching rule as text.

export interface Match {
  readonly category: readonly string[];
  readonly condition: number | null;
  readonly op: "ends" | "has" | "is" | "regex" | "starts" | "word";
  readonly pattern: string;
  readonly field: string;
  readonly lost_by: "annotation" | "order" | "priority" | "same category" | null;
}

const OPERATORS: Record<Match["op"], string> = {
  is: "is",
  has: "has",
  word: "has the word",
  starts: "starts with",
  ends: "ends with",
  regex: "matches",
};

/** "domain is docs.python.org" */
export function ruleText({ field, op, pattern }: Match): string {
  return `${field} ${OPERATORS[op]} ${pattern}`;
}

/** Which rule of the category: conditions count from one; the classic rule has no number. */
export function ruleName({ condition }: Match): string {
  return condition === null ? "its pattern" : `condition ${condition + 1}`;
}

const LOST: Record<NonNullable<Match["lost_by"]>, string> = {
  priority: "less specific",
  order: "equally specific, but earlier in the list",
  "same category": "in the same category",
  annotation: "overridden by a note",
};

export function lostText({ lost_by }: Match): string {
  return lost_by ? LOST[lost_by] : "";
}

/** The field and value for a new rule: the most specific of the data. */
export function draftFor(data: Readonly<Record<string, unknown>>): string | undefined {
  const of = (layer: string, field: string): string | undefined => {
    const fields = data[layer];
    const value =
      typeof fields === "object" && fields !== null ? (fields as Record<string, unknown>)[field] : undefined;
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const url = of("tab", "url");
  const domain = url && URL.canParse(url) ? new URL(url).hostname : undefined;
  if (domain) return `domain:is:${domain}`;
  const project = of("file", "project");
  if (project) return `project:is:${project}`;
  const app = of("window", "app");
  if (app) return `app:is:${app}`;
  const title = of("window", "title") ?? of("tab", "title");
  return title ? `title:is:${title}` : undefined;
}
