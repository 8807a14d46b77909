// Timers, stored as ActivityWatch's web UI stores them: events in the bucket aw-stopwatch with a label and a running flag.
import { api, body } from "../../core/api/client";
import { queryClient } from "../../core/api/queries";
import { Problem } from "../../core/api/problem";
import type { EventView } from "../../core/api/schema";

export const STOPWATCH = "aw-stopwatch";

export interface RunningTimer {
  readonly id: number;
  readonly label: string;
  /** Milliseconds since 1970. */
  readonly start: number;
}

export const timersQuery = () => ({
  queryKey: ["data", "timers"],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<RunningTimer[]> => {
    const events = await body(
      api.GET("/api/0/buckets/{bucket_id}/events", {
        params: { path: { bucket_id: STOPWATCH }, query: { limit: 50 } },
        signal,
      }),
    );
    return events.flatMap((event) => {
      const { running, label } = event.data as { running?: unknown; label?: unknown };
      if (running !== true || event.id == null) return [];
      return [
        { id: event.id, label: typeof label === "string" ? label : "", start: Date.parse(event.timestamp) },
      ];
    });
  },
});

/** Start a timer; the returned function undoes it. */
export async function startTimer(label: string): Promise<() => Promise<void>> {
  await makeBucket();
  const event = { timestamp: new Date().toISOString(), duration: 0, data: { label, running: true } };
  const stored = await body(
    api.POST("/api/0/buckets/{bucket_id}/events", {
      params: { path: { bucket_id: STOPWATCH } },
      body: event as never,
    }),
  );
  // Null if a privacy rule dropped the event: there is nothing to undo.
  const { id } = stored as EventView;
  await refresh();
  return async () => {
    if (id !== null)
      await body(
        api.DELETE("/api/1/events/{bucket_id}/{event_id}", {
          params: { path: { bucket_id: STOPWATCH, event_id: id } },
        }),
      );
    await refresh();
  };
}

/** Stop a timer; returns the undo id. */
export async function stopTimer(timer: RunningTimer): Promise<() => Promise<void>> {
  const change = (seconds: number, running: boolean) =>
    body(
      api.PATCH("/api/1/events/{bucket_id}/{event_id}", {
        params: { path: { bucket_id: STOPWATCH, event_id: timer.id } },
        body: { duration: seconds, data: { label: timer.label, running } } as never,
      }),
    );
  await change((Date.now() - timer.start) / 1000, false);
  await refresh();
  return async () => {
    await change(0, true);
    await refresh();
  };
}

async function makeBucket(): Promise<void> {
  try {
    await body(
      api.POST("/api/0/buckets/{bucket_id}", {
        params: { path: { bucket_id: STOPWATCH } },
        body: { client: "dayline", type: "general.stopwatch", hostname: "unknown" } as never,
      }),
    );
  } catch (error) {
    // The bucket exists already.
    if (!(error instanceof Problem) || error.status !== 304) throw error;
  }
}

async function refresh(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ["buckets"] });
  await queryClient.invalidateQueries({ queryKey: ["data", "timers"] });
}
