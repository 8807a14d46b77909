// What an event says, as rows: the telling fields first.

export interface DataRow {
  readonly field: string;
  readonly text: string;
  /** Only for addresses that a browser may open. */
  readonly href?: string;
  readonly isPrivate: boolean;
}

const FIRST = ["app", "title", "url", "project", "file", "language", "label", "status"];
/** What says nothing about a person. */
const PUBLIC = ["app", "status", "language", "incognito", "audible", "tabCount"];

export function dataRows(data: Readonly<Record<string, unknown>>): DataRow[] {
  const place = (field: string) => {
    const found = FIRST.indexOf(field);
    return found < 0 ? FIRST.length : found;
  };
  return Object.entries(data)
    .filter(([field]) => !field.startsWith("$"))
    .sort(([one], [other]) => place(one) - place(other))
    .map(([field, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      const isLink = typeof value === "string" && /^https?:\/\//i.test(value) && URL.canParse(value);
      return {
        field,
        text,
        isPrivate: !PUBLIC.includes(field),
        ...(isLink ? { href: value as string } : {}),
      };
    });
}
