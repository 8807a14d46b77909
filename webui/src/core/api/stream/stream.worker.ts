// One stream for all tabs of a browser: HTTP/1.1 allows six connections per server, and a stream per tab would use them up.
import { openStream, type FromStream } from "./live";
import type { ToWorker } from "./stream.svelte";

const scope = globalThis as unknown as { onconnect: ((event: MessageEvent) => void) | null };
const ports = new Set<MessagePort>();
let close: (() => void) | undefined;
let headers: Record<string, string> = {}; // of the latest tab: a worker cannot read local storage
let connection: FromStream = { kind: "connection", state: "connecting" };
/** A tab that connects later gets the current state at once. */
const latest = new Map<string, FromStream>();

function report(message: FromStream): void {
  if (message.kind === "connection") connection = message;
  else if (message.topic === "now" || message.topic === "revision") latest.set(message.topic, message);
  for (const port of ports) port.postMessage(message);
}

scope.onconnect = (event) => {
  const port = event.ports[0];
  if (!port) return;
  ports.add(port);
  port.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    if (data === "close") {
      ports.delete(port);
      if (ports.size === 0) {
        close?.();
        close = undefined;
        latest.clear();
      }
      return;
    }
    headers = data.headers;
    if (close === undefined) {
      close = openStream(data.open, () => headers, report);
      return;
    }
    port.postMessage(connection);
    for (const message of latest.values()) port.postMessage(message);
  };
  port.start();
};
