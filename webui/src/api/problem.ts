// What went wrong, in the server's words.
import type { ErrorBody } from "./schema";

/** An answer that is not a success. */
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

/** No answer at all: the server is not there, or the way to it is cut. */
export class NotConnected extends Error {
  override readonly name = "NotConnected";
  constructor() {
    super("Dayline does not answer");
  }
  readonly hint = "Is the server running? This page tries again by itself.";
}

/** A sentence for whatever was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof Problem || error instanceof NotConnected) return error.message;
  return error instanceof Error
    ? `Something in this page failed: ${error.message}`
    : "Something in this page failed";
}

export function hintOf(error: unknown): string | undefined {
  return error instanceof Problem || error instanceof NotConnected ? error.hint : undefined;
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
