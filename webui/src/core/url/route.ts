// Hash routes: the server only has to answer "/", under any base path.

export interface Route {
  /** The decoded segments of the path: ["buckets", "aw-watcher-window_laptop"]; [] is the first page. */
  readonly path: readonly string[];
  readonly params: URLSearchParams;
}

export function parseHash(hash: string): Route {
  const [path = "", query = ""] = splitOnce(hash.replace(/^#/, ""), "?");
  const segments = path.split("/").filter((part) => part !== "");
  return { path: segments.map(decoded), params: new URLSearchParams(query) };
}

export function formatHash(path: readonly string[], params?: URLSearchParams): string {
  const query = params?.toString() ?? "";
  return `#/${path.map(encodeURIComponent).join("/")}${query ? `?${query}` : ""}`;
}

function splitOnce(text: string, separator: string): [string, string] {
  const place = text.indexOf(separator);
  return place < 0 ? [text, ""] : [text.slice(0, place), text.slice(place + separator.length)];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a URL typed by hand may be badly encoded
  }
}
