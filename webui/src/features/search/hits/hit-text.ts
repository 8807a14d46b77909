// What a search hit shows, and which events belong to it.

export const GROUPS = ["thing", "none"] as const;
export type SearchGroup = (typeof GROUPS)[number];
export const SORTS = ["rank", "recent", "oldest", "time", "count"] as const;
export type SearchSort = (typeof SORTS)[number];

export type Data = Readonly<Record<string, unknown>>;

interface Hit {
  readonly data: Data;
  readonly bucket: string;
  readonly event: { readonly id: number };
}

/** Whether an event, found by a search without groups, belongs to a hit that has no name. */
export function fits(event: Hit, hit: Hit, group: SearchGroup): boolean {
  if (group === "none") return event.bucket === hit.bucket && event.event.id === hit.event.id;
  return canonical(event.data) === canonical(hit.data);
}

/** The address of a page that can be opened; undefined for anything but web pages. */
export function addressOf(data: Data): string | undefined {
  const url = data.url;
  return typeof url === "string" && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
    ? url
    : undefined;
}

export function domainOf(data: Data): string | undefined {
  const url = data.url;
  return typeof url === "string" && URL.canParse(url) ? new URL(url).hostname || undefined : undefined;
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );
}

const FIRST = ["title", "label", "url", "file", "app", "project"];

/** Whether the events of a bucket of this type are annotations. */
export function isNote(type: string): boolean {
  return type.startsWith("dayline.annotation");
}

interface Highlight {
  readonly path: readonly (string | number)[];
  readonly ranges: readonly (readonly number[])[];
}

export interface Shown {
  readonly label: string;
  readonly text: string;
  readonly ranges: readonly (readonly number[])[];
}

/** The texts of a hit: its title first, then other matches, then where it was. */
export function shownTexts(data: Data, highlights: readonly Highlight[]): { main: Shown; more: Shown[] } {
  const text = (path: readonly (string | number)[]): Shown | undefined => {
    const value = path.reduce<unknown>(
      (inner, key) => (typeof inner === "object" && inner !== null ? (inner as Data)[key] : undefined),
      data,
    );
    if (typeof value !== "string" || value === "") return undefined;
    const found = highlights.find((each) => JSON.stringify(each.path) === JSON.stringify(path));
    return { label: path.join("."), text: value, ranges: found?.ranges ?? [] };
  };
  const keys = [...FIRST, ...Object.keys(data)];
  const main = keys.map((key) => text([key])).find((each) => each !== undefined) ?? {
    label: "data",
    text: JSON.stringify(data),
    ranges: [],
  };
  const more = [...highlights.map(({ path }) => text(path)), text(["app"]), text(["url"])].filter(
    (each, place, all): each is Shown =>
      each !== undefined &&
      each.label !== main.label &&
      all.findIndex((other) => other?.label === each.label) === place,
  );
  return { main, more };
}
