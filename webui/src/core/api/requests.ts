// Sends requests of the OpenAPI document, with the types of openapi-fetch: the page needs a tenth of its code.
import type { Client } from "openapi-fetch";
import type { paths } from "./schema";

type Methods = Pick<Client<paths>, "GET" | "POST" | "PUT" | "PATCH" | "DELETE">;
type Values = Readonly<Record<string, unknown>>;
interface Request {
  readonly params?: { readonly path?: Values; readonly query?: Values; readonly header?: Values };
  readonly headers?: Values;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** The methods of the API below a base path, with headers that are asked for at each request. */
export function requestsTo(base: string, ownHeaders: () => Values, send: typeof fetch): Methods {
  const call =
    (method: string) =>
    async (path: string, { params = {}, headers, body, signal }: Request = {}) => {
      const response = await send(base + addressOf(path, params), {
        method,
        signal,
        credentials: "same-origin",
        headers: Object.entries({
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...ownHeaders(),
          ...headers,
          ...params.header,
        }).flatMap(([name, value]): [string, string][] => (value == null ? [] : [[name, String(value)]])),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const content = contentOf(await response.text());
      return response.ok ? { data: content, response } : { error: content, response };
    };
  const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"].map((name) => [name, call(name)] as const);
  return Object.fromEntries(methods) as unknown as Methods; // the document types paths, parameters and bodies
}

/** A path with its parameters; a list is a repeated parameter: device=a&device=b. */
export function addressOf(
  path: string,
  { path: places = {}, query = {} }: NonNullable<Request["params"]>,
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_hole, name: string) =>
    encodeURIComponent(String(places[name])),
  );
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value]
      .flat()
      .filter((each) => each != null)
      .map((each) => `${name}=${encodeURIComponent(String(each))}`),
  );
  return pairs.length > 0 ? `${filled}?${pairs.join("&")}` : filled;
}

/** JSON, or the text of a proxy that answers something else. */
function contentOf(text: string): unknown {
  try {
    return text ? JSON.parse(text) : undefined;
  } catch {
    return text;
  }
}
