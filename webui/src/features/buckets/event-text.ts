// An event's data on one line, and the fields to filter by.

type Data = Readonly<Record<string, unknown>>;

/** The most important fields first, as watchers name them. */
const FIRST = ["status", "app", "title", "url", "project", "file", "language", "label"];

/** "Code · main.py — dayline": the most important values, without field names. */
export function dataText(data: Data): string {
  const known = FIRST.filter((name) => isTelling(data[name]));
  const names = known.length > 0 ? known : Object.keys(data);
  return names
    .map((name) => (known.length > 0 ? text(data[name]) : `${name}: ${text(data[name])}`))
    .join(" · ");
}

/** The field names of some events: known ones first, then the others by name. */
export function fieldsOf(events: readonly { readonly data: Data }[]): string[] {
  const found = new Set(events.flatMap(({ data }) => Object.keys(data)));
  return [
    ...FIRST.filter((name) => found.has(name)),
    ...[...found].filter((name) => !FIRST.includes(name)).sort(),
  ];
}

export interface EventFilter {
  readonly field: string;
  readonly operator: "is" | "has";
  readonly value: string;
}

export function parseEventFilter(written: string): EventFilter | undefined {
  const [field, operator, ...rest] = written.split(":");
  const value = rest.join(":");
  if (!field || !value || (operator !== "is" && operator !== "has")) return undefined;
  return { field, operator, value };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isTelling(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}
