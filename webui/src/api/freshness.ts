// Which answers become old by what the stream says.
import { queryClient, queries } from "./queries";
import { listen } from "./stream.svelte";

/** While heartbeats flow everything changes every second: sums are asked for again no more often than this. */
const AT_MOST_EVERY = 1000;

/** Keep answers fresh until the function that is given back is called. */
export function keepFresh(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const refreshData = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void queryClient.invalidateQueries({ queryKey: ["data"] });
    }, AT_MOST_EVERY);
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
    // What failed while the server was away is asked for again; nothing else has changed without being told.
    listen(
      "hello",
      () => void queryClient.refetchQueries({ predicate: (query) => query.state.status === "error" }),
    ),
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
      : ["settings", "data"];
  return ({ queryKey }: { queryKey: readonly unknown[] }) => roots.includes(String(queryKey[0]));
}
