// The API client, typed by the server's OpenAPI document.
import { t } from "../i18n/translate.svelte";
import { isAbort, NotConnected, Problem } from "./problem";
import { requestsTo } from "./requests";
import type { ErrorBody } from "./schema";

/** Where the page is served, without the trailing slash: "" or the base path of a proxy. */
export const BASE = globalThis.location ? globalThis.location.pathname.replace(/\/[^/]*$/, "") : "";

export const api = requestsTo(
  BASE,
  () => proofOf(sessionSecret()),
  (address, init) =>
    fetch(address, init)
      .catch((error: unknown) => {
        throw isAbort(error) ? error : new NotConnected();
      })
      .then((response) => {
        oldest ??= Number(response.headers.get("Revision")) || undefined;
        return response;
      }),
);

let oldest: number | undefined;

/** The revision of the first response since the session began: what the page has read is at least as new. */
export function oldestRevision(): number | undefined {
  return oldest;
}

// The secret of this browser's session. A cookie is sent to every port of a host, so it gives no access alone; local
// storage belongs to one port.
const SECRET = `dayline.session ${BASE}`;
let unkept: string | null = null; // if there is no local storage: until the page is loaded again

export function sessionSecret(): string | null {
  try {
    return localStorage.getItem(SECRET) ?? unkept;
  } catch {
    return unkept;
  }
}

/** Keep the secret of a new session; null forgets it. */
export function keepSecret(secret: string | null): void {
  unkept = secret;
  oldest = undefined; // another session may be of another tenant, whose revisions are its own
  try {
    if (secret === null) localStorage.removeItem(SECRET);
    else localStorage.setItem(SECRET, secret);
  } catch {
    // Without local storage you sign in again when the page is loaded again.
  }
}

/** The header that proves that a request comes from the page that signed in. */
export function proofOf(secret: string | null): Record<string, string> {
  return secret === null ? {} : { "X-Dayline": secret };
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The body of a response; throws its Problem if it is an error. */
export async function body<T>(answer: Promise<Answer<T>>): Promise<NonNullable<T>> {
  const { data, error, response } = await answer;
  if (!response.ok) throw problemOf(response, error);
  return data as NonNullable<T>;
}

/** The body and its ETag, which a change sends as `If-Match`. */
export async function tagged<T>(
  answer: Promise<Answer<T>>,
): Promise<{ value: NonNullable<T>; etag: string | null }> {
  const { data, error, response } = await answer;
  if (!response.ok) throw problemOf(response, error);
  return { value: data as NonNullable<T>, etag: response.headers.get("ETag") };
}

export function problemOf(response: Response, error: unknown): Problem {
  const body = (typeof error === "object" && error !== null ? error : {}) as Partial<ErrorBody>;
  const retry = Number(response.headers.get("Retry-After"));
  return new Problem(
    response.status,
    {
      ...body,
      message: body.message ?? t("api.theServerReturnedStatusWithoutA", { status: response.status }),
      type: body.type ?? "Unknown",
      request_id: body.request_id ?? response.headers.get("X-Request-Id") ?? "",
    } as ErrorBody,
    retry > 0 ? retry : undefined,
  );
}
