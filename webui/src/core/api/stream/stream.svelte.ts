// The live stream as the page sees it: its state, and subscriptions to topics.
import { BASE, proofOf, sessionSecret } from "../client";
import { openStream, type Connection, type FromStream, type LiveMessages, type Topic } from "./live";

/** What a tab sends to the worker: the stream with its headers, or that the tab needs it no more. */
export type ToWorker = { readonly open: string; readonly headers: Record<string, string> } | "close";
type Listener = (data: never) => void;

let connection = $state<Connection>("connecting");
let lastHeard = $state(0);
let lostSince = $state<number | undefined>(undefined);
const listeners = new Map<Topic, Set<Listener>>();

export const stream = {
  get connection(): Connection {
    return connection;
  },
  /** When the last message arrived, in milliseconds since 1970; 0 for never. */
  get lastHeard(): number {
    return lastHeard;
  },
  get lostSince(): number | undefined {
    return lostSince;
  },
};

/** Subscribe to a topic; the returned function unsubscribes. */
export function listen<T extends Topic>(topic: T, listener: (data: LiveMessages[T]) => void): () => void {
  const those = listeners.get(topic) ?? new Set();
  listeners.set(topic, those);
  those.add(listener as Listener);
  return () => those.delete(listener as Listener);
}

/** Open the stream through a worker that all tabs share, or in this page if the browser has no shared workers. */
export function startStream(): () => void {
  const address = new URL(`${BASE}/api/1/stream`, window.location.href).href;
  if (typeof SharedWorker === "undefined") return startAlone(address);
  const worker = new SharedWorker(new URL("./stream.worker.ts", import.meta.url), {
    type: "module",
    name: `dayline-stream ${BASE}`,
  });
  worker.port.onmessage = ({ data }: MessageEvent<FromStream>) => receive(data);
  const send = (message: ToWorker) => worker.port.postMessage(message);
  send({ open: address, headers: proofOf(sessionSecret()) });
  const leave = () => send("close");
  const comeBack = (event: PageTransitionEvent) => {
    if (event.persisted) window.location.reload();
  };
  window.addEventListener("pagehide", leave);
  window.addEventListener("pageshow", comeBack);
  return () => {
    leave();
    window.removeEventListener("pagehide", leave);
    window.removeEventListener("pageshow", comeBack);
  };
}

/** Without a shared worker only a visible page listens, so that many tabs do not use up the connections. */
function startAlone(address: string): () => void {
  let close: (() => void) | undefined;
  const follow = () => {
    if (document.visibilityState === "visible")
      close ??= openStream(address, () => proofOf(sessionSecret()), receive);
    else {
      close?.();
      close = undefined;
    }
  };
  follow();
  document.addEventListener("visibilitychange", follow);
  return () => {
    document.removeEventListener("visibilitychange", follow);
    close?.();
  };
}

function receive(message: FromStream): void {
  if (message.kind === "connection") {
    connection = message.state;
    if (message.state !== "lost") lostSince = undefined;
    else lostSince ??= Date.now();
    return;
  }
  lastHeard = Date.now();
  for (const listener of listeners.get(message.topic) ?? []) listener(message.data as never);
}
