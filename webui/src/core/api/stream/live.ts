// The messages of the live stream and its wire format (docs/reference/stream.md).
import type { NowResponse } from "../schema";

export interface LiveMessages {
  hello: { resumed: boolean; version: string; revision?: number };
  reset: Record<string, never>;
  now: NowResponse;
  revision: { revision: number };
  bucket: { id: string; change: string };
  job: { id: string; [field: string]: unknown };
  goal: { id: string; [field: string]: unknown };
  settings: { key: string };
}
export type Topic = keyof LiveMessages;
const TOPICS: readonly Topic[] = ["hello", "reset", "now", "revision", "bucket", "job", "goal", "settings"];

export type Connection = "connecting" | "live" | "lost";

/** From the shared worker, or from the page itself if the browser has no shared workers. */
export type FromStream =
  | { readonly kind: "connection"; readonly state: Connection }
  | { readonly kind: "message"; readonly topic: Topic; readonly data: unknown };

/** Seconds before each new attempt; the last value repeats. */
const WAITS = [1, 2, 5, 10];

/**
 * Open a stream and reopen it whenever it ends; reports its state and its messages. `headers` are those of each
 * attempt: EventSource cannot send any.
 */
export function openStream(
  address: string,
  headers: () => Record<string, string>,
  report: (message: FromStream) => void,
): () => void {
  const closing = new AbortController();
  let lastId = "";
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function take({ id, event, data }: Fields): void {
    const topic = TOPICS.find((each) => each === event);
    if (topic === undefined || data === undefined) return;
    lastId = id ?? lastId;
    if (topic === "hello") {
      failures = 0;
      report({ kind: "connection", state: "live" });
    }
    report({ kind: "message", topic, data: JSON.parse(data) });
  }

  async function follow(): Promise<void> {
    const query = lastId ? `?last_event_id=${encodeURIComponent(lastId)}` : "";
    const response = await fetch(address + query, { headers: headers(), signal: closing.signal });
    if (response.ok && response.body) await readMessages(response.body, take);
    else await response.body?.cancel();
  }

  async function open(): Promise<void> {
    // An error is the same as an end: try again.
    await follow().catch(() => undefined);
    if (closing.signal.aborted) return;
    report({ kind: "connection", state: "lost" });
    const wait = WAITS[Math.min(failures, WAITS.length - 1)] ?? 10;
    failures += 1;
    timer = setTimeout(() => void open(), wait * 1000);
  }
  void open();
  return () => {
    closing.abort();
    clearTimeout(timer);
  };
}

interface Fields {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
}

/** Read server-sent events until the stream ends. */
export async function readMessages(
  stream: ReadableStream<BufferSource>,
  take: (fields: Fields) => void,
): Promise<void> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const messages = (rest + value).split("\n\n");
      rest = messages.pop() ?? "";
      for (const message of messages) take(fieldsOf(message));
    }
  } finally {
    await reader.cancel();
  }
}

/** The fields of a message, which has one line each; a line without a name is a comment. */
function fieldsOf(message: string): Fields {
  return Object.fromEntries(
    message.split("\n").map((line) => {
      const [name = "", ...value] = line.split(": ");
      return [name, value.join(": ")];
    }),
  );
}
