// Which queries a message of the stream invalidates.
import { oldestRevision } from "./client";
import { queryClient, queries } from "./queries";
import { listen } from "./stream/stream.svelte";

/** Heartbeats change everything every second; sums are refetched at most this often. */
const AT_MOST_EVERY = 1000;

/** Invalidate queries as the stream reports changes, until the returned function is called. */
export function keepFresh(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const refresh = (queryKey: readonly string[]) =>
    setTimeout(() => {
      timer = undefined;
      void queryClient.invalidateQueries({ queryKey });
    }, AT_MOST_EVERY);
  const refreshData = () => {
    timer ??= refresh(["data"]);
  };
  const stops = [
    listen("now", (data) => queryClient.setQueryData(queries.now().queryKey, data)),
    listen("revision", refreshData),
    listen("bucket", ({ change }) => {
      if (change !== "recorded") void queryClient.invalidateQueries({ queryKey: ["buckets"] });
      refreshData();
    }),
    listen("job", () => void queryClient.invalidateQueries({ queryKey: ["jobs"] })),
    listen("goal", () => void queryClient.invalidateQueries({ queryKey: ["goals"] })),
    listen("settings", ({ key }) => void queryClient.invalidateQueries({ predicate: isTouchedBy(key) })),
    listen("reset", () => void queryClient.invalidateQueries()),
    listen("hello", ({ resumed, revision = 0 }) => {
      // Retry what failed while the server was away; the stream reports every other change.
      void queryClient.refetchQueries({ predicate: (query) => query.state.status === "error" });
      // What changed between the first response and the start of the stream is in no message.
      if (resumed || revision <= (oldestRevision() ?? revision)) return;
      clearTimeout(timer);
      timer = refresh([]);
    }),
  ];
  return () => {
    clearTimeout(timer);
    for (const stop of stops) stop();
  };
}

function isTouchedBy(setting: string) {
  const roots = /categor|classes/.test(setting)
    ? ["categories", "data", "now"]
    : /goal/.test(setting)
      ? ["goals"]
      : ["settings", "data", ...(setting === "projects" ? ["projects"] : [])];
  return ({ queryKey }: { queryKey: readonly unknown[] }) => roots.includes(String(queryKey[0]));
}
