// Single events: read, edit, split and delete, each with the ETag of the event it was made from.
import { api, body, tagged } from "../../core/api/client";
import type { DeletedEvents, EventDetail } from "../../core/api/schema";

export interface ReadEvent {
  readonly event: EventDetail;
  readonly etag: string | null;
}

export interface EventPatch {
  readonly timestamp?: string;
  readonly end?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

const place = (event: { readonly bucket: string; readonly id: number }) => ({
  bucket_id: event.bucket,
  event_id: event.id,
});
const ifMatch = (etag: string | null) => (etag ? { "If-Match": etag } : {});

export async function readEvent(
  event: { readonly bucket: string; readonly id: number },
  signal?: AbortSignal,
): Promise<ReadEvent> {
  const { value, etag } = await tagged(
    api.GET("/api/1/events/{bucket_id}/{event_id}", { params: { path: place(event) }, signal }),
  );
  return { event: value, etag };
}

export const eventQuery = (event: { readonly bucket: string; readonly id: number }) => ({
  queryKey: ["data", "event", event.bucket, event.id],
  queryFn: ({ signal }: { signal: AbortSignal }) => readEvent(event, signal),
});

export function changeEvent({ event, etag }: ReadEvent, patch: EventPatch) {
  return body(
    api.PATCH("/api/1/events/{bucket_id}/{event_id}", {
      params: { path: place(event), header: ifMatch(etag) },
      body: patch as never,
    }),
  );
}

export function splitEvent({ event, etag }: ReadEvent, at: string) {
  return body(
    api.POST("/api/1/events/{bucket_id}/{event_id}/split", {
      params: { path: place(event), header: ifMatch(etag) },
      body: { at },
    }),
  );
}

export function deleteEvent({ event, etag }: ReadEvent) {
  return body(
    api.DELETE("/api/1/events/{bucket_id}/{event_id}", {
      params: { path: place(event), header: ifMatch(etag) },
    }),
  );
}

export interface Selected {
  readonly bucket: string;
  readonly start: string;
  readonly end: string;
  readonly edge: "touch" | "cut";
}

/** Delete the selected events; with `dry_run` only count them. */
export function deleteSelected(
  selected: Selected,
  dry_run: boolean,
  options: { signal?: AbortSignal; headers?: Record<string, string> } = {},
): Promise<DeletedEvents> {
  return body(
    api.POST("/api/1/events/delete", { body: { ...selected, ids: null, data: [], dry_run }, ...options }),
  );
}
