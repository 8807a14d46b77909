// An event's data: on one line, as rows, as JSON, and the fields to filter by.

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

export interface DataRow {
  readonly field: string;
  readonly text: string;
  /** Only for addresses that a browser may open. */
  readonly href?: string;
  readonly isPrivate: boolean;
}

/** Fields that say nothing about a person. */
const PUBLIC = ["app", "status", "language", "incognito", "audible", "tabCount"];

/** The fields of an event with their values: known ones first. */
export function dataRows(data: Data): DataRow[] {
  const place = (field: string) => (FIRST.includes(field) ? FIRST.indexOf(field) : FIRST.length);
  return Object.entries(data)
    .filter(([field]) => !field.startsWith("$"))
    .sort(([one], [other]) => place(one) - place(other))
    .map(([field, value]) => ({
      field,
      text: text(value),
      isPrivate: !PUBLIC.includes(field),
      ...(isLink(value) ? { href: value } : {}),
    }));
}

/** The URL in an event's data if it is safe to open: http or https. */
export function linkOf({ url }: Data): string | undefined {
  return isLink(url) ? url : undefined;
}

function isLink(value: unknown): value is string {
  // An address that ends with an ellipsis is truncated.
  return (
    typeof value === "string" && /^https?:\/\//i.test(value) && !value.endsWith("…") && URL.canParse(value)
  );
}

/** The object in a JSON text; undefined if it is not an object. */
export function parseData(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
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
