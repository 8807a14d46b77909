// Recording of the server's own computer by Dayline's watcher.
import { api, body } from "../../../core/api/client";
import { queryClient } from "../../../core/api/queries";
import type { RecordingView } from "../../../core/api/schema";

const BUSY: readonly RecordingView["state"][] = ["starting", "checking", "failed"];

export const recordingQueries = {
  /** The stream reports what is recorded; the state of the watcher itself is polled until it has settled. */
  state: () => ({
    queryKey: ["buckets", "recording"],
    queryFn: ({ signal }: { signal: AbortSignal }) => body(api.GET("/api/1/recording", { signal })),
    refetchInterval: ({ state }: { state: { data?: RecordingView } }) =>
      state.data && BUSY.includes(state.data.state) ? 1000 : 30_000,
  }),
};

/** Start or stop recording; the setting is stored. */
export async function setRecording(enabled: boolean): Promise<void> {
  const after = await body(api.PUT("/api/1/recording", { body: { enabled } }));
  queryClient.setQueryData(recordingQueries.state().queryKey, after);
}
