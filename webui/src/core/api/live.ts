// The messages of the live stream and its wire format (docs/reference/stream.md).
import type { NowAnswer } from "./schema";

export interface LiveMessages {
  hello: { resumed: boolean; version: string; revision?: number };
  reset: Record<string, never>;
  now: NowAnswer;
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

/** Open a stream and reopen it whenever it ends; reports its state and its messages. */
export function openStream(address: string, report: (message: FromStream) => void): () => void {
  let source: EventSource | undefined;
  let lastId = "";
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  function open(): void {
    // EventSource sends Last-Event-ID only on its own retries, and it gives up if the response is an error.
    const query = lastId ? `?last_event_id=${encodeURIComponent(lastId)}` : "";
    source = new EventSource(address + query);
    for (const topic of TOPICS) {
      source.addEventListener(topic, (event) => {
        lastId = event.lastEventId || lastId;
        if (topic === "hello") {
          failures = 0;
          report({ kind: "connection", state: "live" });
        }
        report({ kind: "message", topic, data: JSON.parse(event.data as string) });
      });
    }
    source.addEventListener("error", () => {
      source?.close();
      if (isClosed) return;
      report({ kind: "connection", state: "lost" });
      const wait = WAITS[Math.min(failures, WAITS.length - 1)] ?? 10;
      failures += 1;
      timer = setTimeout(open, wait * 1000);
    });
  }

  open();
  return () => {
    isClosed = true;
    clearTimeout(timer);
    source?.close();
  };
}
