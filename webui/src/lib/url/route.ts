// Routes are in the hash: no path but "/" has to be answered by the server, under any base path.

export interface Route {
  /** The segments of the path, decoded: ["buckets", "aw-watcher-window_laptop"]; [] stands for the first page. */
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
    return part; // what somebody typed by hand need not be encoded well
  }
}
