// What the pages about buckets ask the server for, and what they change.
import { keepPreviousData, type QueryKey } from "@tanstack/svelte-query";
import { api, body, BASE, problemOf, tagged } from "./client";
import { queryClient } from "./queries";
import type { EventPage, EventPatch, MendRequest, RetentionRule } from "./schema";

// What other pages and programs change without a word of it is asked for whenever a page that shows it is opened
// (`staleTime: 0`).
type Asked = { signal: AbortSignal };

/** How often a page that shows the newest events looks for newer ones. */
const LOOK_AGAIN = 5000;
const PAGE_SIZE = 200;

export interface EventChoice {
  /** "field:is:value" and "field:has:value". */
  readonly filters: readonly string[];
  /** Only events that begin before this moment. */
  readonly before: string | undefined;
}

/** The events of a bucket, newest first, as many pages as were asked for. */
export function bucketEvents(id: string, choice: EventChoice) {
  return {
    queryKey: ["bucket-events", id, choice] as QueryKey,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }: Asked & { pageParam: string | undefined }) =>
      body(
        api.GET("/api/1/buckets/{bucket_id}/events", {
          params: {
            path: { bucket_id: id },
            query: {
              limit: PAGE_SIZE,
              ...(pageParam ? { cursor: pageParam } : {}),
              ...(choice.filters.length ? { filter: [...choice.filters] } : {}),
              ...(choice.before ? { end: choice.before } : {}),
            },
          },
          signal,
        }),
      ),
    getNextPageParam: (last: EventPage) => last.cursor ?? undefined,
    // Whoever has gone further back reads what was: only the beginning of the list follows what is recorded.
    refetchInterval: (query: { state: { data?: { pages: unknown[] } } }) =>
      (query.state.data?.pages.length ?? 1) > 1 ? (false as const) : LOOK_AGAIN,
    placeholderData: keepPreviousData,
  };
}

export const bucketQueries = {
  /** The fields that people give a bucket; the list of all buckets tells the rest. */
  fields: (id: string) => ({
    queryKey: ["buckets", "fields", id],
    queryFn: ({ signal }: Asked) =>
      body(api.GET("/api/0/buckets/{bucket_id}", { params: { path: { bucket_id: id } }, signal })),
  }),
  event: (bucket: string, id: number) => ({
    queryKey: ["bucket-event", bucket, id],
    queryFn: ({ signal }: Asked) =>
      tagged(
        api.GET("/api/1/events/{bucket_id}/{event_id}", {
          params: { path: { bucket_id: bucket, event_id: id } },
          signal,
        }),
      ),
    staleTime: 0,
    placeholderData: undefined,
  }),
  trash: () => ({
    queryKey: ["buckets", "trash"],
    staleTime: 0,
    queryFn: ({ signal }: Asked) => body(api.GET("/api/1/trash", { signal })),
  }),
  doctor: (bucket?: string, kinds?: string) => ({
    queryKey: ["doctor", bucket, kinds],
    queryFn: ({ signal }: Asked) =>
      body(
        api.GET("/api/1/doctor", {
          params: { query: { ...(bucket ? { bucket } : {}), ...(kinds ? { kinds } : {}) } },
          signal,
        }),
      ),
    placeholderData: undefined,
  }),
  jobs: () => ({
    queryKey: ["jobs"],
    staleTime: 0,
    queryFn: ({ signal }: Asked) => body(api.GET("/api/1/jobs", { signal })),
    // The stream tells of progress too, where there is one: this is for where there is none.
    refetchInterval: (query: { state: { data?: { jobs: { state: string }[] } } }) =>
      query.state.data?.jobs.some((job) => job.state === "running") ? 500 : (false as const),
  }),
  retention: () => ({
    queryKey: ["settings", "retention"],
    queryFn: ({ signal }: Asked) => body(api.GET("/api/1/retention", { signal })),
  }),
  space: () => ({
    queryKey: ["buckets", "space"],
    staleTime: 0,
    queryFn: ({ signal }: Asked) => body(api.GET("/api/1/space", { signal })),
  }),
  compaction: () => ({
    queryKey: ["compaction"],
    staleTime: 0,
    queryFn: ({ signal }: Asked) => body(api.GET("/api/1/compact", { signal })),
    refetchInterval: (query: { state: { data?: { state: string } } }) =>
      (query.state.data?.state ?? "idle") === "idle" ? (false as const) : 500,
  }),
};

/** Everything that is made of events has changed, and what buckets there are. */
export async function refreshBuckets(): Promise<void> {
  const touched = ["buckets", "data", "bucket-events", "bucket-event", "doctor", "now"];
  await queryClient.invalidateQueries({ predicate: ({ queryKey }) => touched.includes(String(queryKey[0])) });
}

const at = (id: string) => ({ params: { path: { bucket_id: id } } });

/** Put a bucket into the trash: what brings it back. */
export async function deleteBucket(id: string): Promise<number> {
  const { response, error } = await api.DELETE("/api/0/buckets/{bucket_id}", at(id));
  if (!response.ok) throw problemOf(response, error);
  return Number(response.headers.get("Undo-Id"));
}

export function renameBucket(id: string, next: string, alias: boolean) {
  return body(api.POST("/api/1/buckets/{bucket_id}/rename", { ...at(id), body: { id: next, alias } }));
}

export function mergeBucket(id: string, into: string, options: { dry_run: boolean; force: boolean }) {
  return body(api.POST("/api/1/buckets/{bucket_id}/merge", { ...at(id), body: { into, ...options } }));
}

export function moveBucket(id: string, hostname: string, options: { dry_run: boolean; merge: boolean }) {
  return body(
    api.POST("/api/1/buckets/{bucket_id}/rehost", {
      ...at(id),
      body: { hostname, rename: true, ...options },
    }),
  );
}

export function removeAlias(alias: string) {
  return body(api.DELETE("/api/1/aliases/{alias}", { params: { path: { alias } } }));
}

export function changeEvent(bucket: string, id: number, patch: EventPatch, etag: string | null) {
  return body(
    api.PATCH("/api/1/events/{bucket_id}/{event_id}", {
      params: {
        path: { bucket_id: bucket, event_id: id },
        ...(etag ? { header: { "If-Match": etag } } : {}),
      },
      body: patch,
    }),
  );
}

export function deleteEvent(bucket: string, id: number) {
  return body(
    api.DELETE("/api/1/events/{bucket_id}/{event_id}", {
      params: { path: { bucket_id: bucket, event_id: id } },
    }),
  );
}

export function undoAct(id: number) {
  return body(api.POST("/api/1/undo/{undo_id}", { params: { path: { undo_id: id } } }));
}

export function removeFromTrash(id: number) {
  return body(api.DELETE("/api/1/trash/{undo_id}", { params: { path: { undo_id: id } } }));
}

export function emptyTrash() {
  return body(api.DELETE("/api/1/trash"));
}

export function mend(request: MendRequest) {
  return body(api.POST("/api/1/doctor/mend", { body: request }));
}

export function setRetention(rules: RetentionRule[]) {
  return body(api.PUT("/api/1/retention", { body: rules }));
}

export function previewRetention(rules: RetentionRule[]) {
  return body(api.POST("/api/1/retention/preview", { body: { rules } }));
}

export function applyRetention() {
  return body(api.POST("/api/1/retention/apply"));
}

export function compact() {
  return body(api.POST("/api/1/compact"));
}

export function cancelJob(id: string) {
  return body(api.DELETE("/api/1/jobs/{job_id}", { params: { path: { job_id: id } } }));
}

export const EXPORT_FORMATS = [
  { format: "json", label: "JSON", what: "what this and every ActivityWatch server can import" },
  { format: "csv", label: "CSV", what: "a table for spreadsheets" },
  { format: "ndjson", label: "NDJSON", what: "a line of JSON for every event" },
] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number]["format"];

/** Where a browser gets everything, or one bucket, as a file. */
export function exportAddress(format: ExportFormat, bucket?: string): string {
  const query = new URLSearchParams({ format, ...(bucket === undefined ? {} : { bucket }) });
  return `${BASE}/api/1/export?${query}`;
}
