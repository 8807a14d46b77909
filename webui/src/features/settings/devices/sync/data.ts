// Sync: its state, and what can be done about it.
import { api, body } from "../../../../core/api/client";
import { queryClient } from "../../../../core/api/queries";
import type { SyncStatus } from "../../../../core/api/schema";

type Signal = { signal: AbortSignal };

export type Peer = NonNullable<SyncStatus["report"]>["devices"][number];

export const syncQuery = () => ({
  queryKey: ["sync"],
  queryFn: ({ signal }: Signal) => body(api.GET("/api/1/sync", { signal })),
  refetchInterval: 10_000,
});

/** Where devices exchange files, and what opens a server. */
export interface Place {
  location: string;
  server_key: string | null;
  fingerprint: string | null;
}

export const invite = () => body(api.GET("/api/1/sync/invite"));
export const preview = (place: Place, text: string) =>
  body(api.POST("/api/1/sync/preview", { body: { ...place, invite: text } }));

/** Do it, and show what has become of it: mirrors have come or gone. */
async function changing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } finally {
    await queryClient.invalidateQueries({ queryKey: ["sync"] });
    void queryClient.invalidateQueries({ queryKey: ["buckets"] });
  }
}

export const start = (place: Place) => changing(body(api.POST("/api/1/sync/start", { body: place })));
export const join = (place: Place, text: string) =>
  changing(body(api.POST("/api/1/sync/join", { body: { ...place, invite: text } })));
export const run = () => changing(body(api.POST("/api/1/sync/run")));
export const verify = () => changing(body(api.POST("/api/1/sync/verify")));
export const recover = () => changing(body(api.POST("/api/1/sync/recover")));
export const adoptionQuery = (device: string) => ({
  queryKey: ["sync", "adoption", device],
  queryFn: ({ signal }: Signal) =>
    body(
      api.POST("/api/1/sync/devices/{device}/adopt", {
        params: { path: { device } },
        body: { dry_run: true },
        signal,
      }),
    ),
});
export const adopt = (device: string) =>
  changing(
    body(
      api.POST("/api/1/sync/devices/{device}/adopt", {
        params: { path: { device } },
        body: { dry_run: false },
      }),
    ),
  );
export const remove = (device: string, deleteMirrors: boolean) =>
  changing(
    body(
      api.POST("/api/1/sync/devices/{device}/remove", {
        params: { path: { device } },
        body: { delete_mirrors: deleteMirrors },
      }),
    ),
  );
export const confirm = (device: string) =>
  changing(body(api.POST("/api/1/sync/devices/{device}/confirm", { params: { path: { device } } })));
export const leave = (keepMirrors: boolean) =>
  changing(body(api.POST("/api/1/sync/leave", { body: { keep_mirrors: keepMirrors, new_identity: false } })));
export const addSource = (path: string) =>
  changing(body(api.POST("/api/1/sync/sources", { body: { path } })));
/** Its mirrors stay, as they are. */
export const removeSource = (path: string) =>
  changing(body(api.DELETE("/api/1/sync/sources", { params: { query: { path } } })));
