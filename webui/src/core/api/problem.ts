// Errors as the server reports them.
import { t } from "../i18n/translate.svelte";
import type { ErrorBody } from "./schema";

/** A response that is an error. */
export class Problem extends Error {
  override readonly name = "Problem";
  constructor(
    readonly status: number,
    readonly body: ErrorBody,
    readonly retryAfter?: number,
  ) {
    super(body.message);
  }
  get hint(): string | undefined {
    return this.body.hint;
  }
  get requestId(): string | undefined {
    return this.body.request_id || undefined;
  }
}

/** No response at all: the server is not running, or the network is down. */
export class NotConnected extends Error {
  override readonly name = "NotConnected";
  constructor() {
    super(t("api.daylineDoesNotRespond"));
  }
  readonly hint = t("api.isTheServerRunningThisPage");
}

/** One sentence for any thrown value. */
export function messageOf(error: unknown): string {
  if (error instanceof Problem || error instanceof NotConnected) return error.message;
  return error instanceof Error
    ? t("api.pageProblemWithMessage", { message: error.message })
    : t("api.pageProblem");
}

export function hintOf(error: unknown): string | undefined {
  return error instanceof Problem || error instanceof NotConnected ? error.hint : undefined;
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
