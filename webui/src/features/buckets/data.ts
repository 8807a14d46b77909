// Requests of the pages about buckets.
import { keepPreviousData, type QueryKey } from "@tanstack/svelte-query";
import { t } from "../../core/i18n/translate.svelte";
import { api, body, BASE, problemOf, tagged } from "../../core/api/client";
import { queryClient } from "../../core/api/queries";
import type { EventPage, EventPatch, paths, RetentionRule } from "../../core/api/schema";

// Other pages and programs change this data without a notification, so it is fetched whenever a page that shows it opens
// (`staleTime: 0`).
type Asked = { signal: AbortSignal };

/** How often a page that shows the newest events polls for newer ones. */
const LOOK_AGAIN = 5000;
const PAGE_SIZE = 200;

export interface EventChoice {
  /** "field:is:value" and "field:has:value". */
  readonly filters: readonly string[];
  /** Only events that start before this time. */
  readonly before: string | undefined;
}

/** The events of a bucket, newest first, in pages. */
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
    // Only the first page follows new recordings; a user who scrolled further back reads a fixed list.
    refetchInterval: (query: { state: { data?: { pages: unknown[] } } }) =>
      (query.state.data?.pages.length ?? 1) > 1 ? (false as const) : LOOK_AGAIN,
    placeholderData: keepPreviousData,
  };
}

export const bucketQueries = {
  /** The fields of a bucket that users set; the bucket list has the rest. */
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
    refetchInterval: (query: { state: { data?: { progress?: unknown }[] } }) =>
      query.state.data?.some(({ progress }) => progress) ? 1_000 : false,
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
    // The stream reports progress too; this is for when there is no stream.
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

/** Everything derived from events, and the bucket list, has changed. */
export async function refreshBuckets(): Promise<void> {
  const touched = ["buckets", "data", "bucket-events", "bucket-event", "doctor", "now"];
  await queryClient.invalidateQueries({ predicate: ({ queryKey }) => touched.includes(String(queryKey[0])) });
}

const at = (id: string) => ({ params: { path: { bucket_id: id } } });

/** Move a bucket to the trash; returns the undo id. */
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

const FIX = "/api/1/doctor/mend";
export type FixRequest = paths[typeof FIX]["post"]["requestBody"]["content"]["application/json"];

/** Fix one kind of finding; with `dry_run` only report what would change. */
export function fixFindings(request: FixRequest) {
  return body(api.POST(FIX, { body: request }));
}

export function setRetention(rules: RetentionRule[]) {
  return body(api.PUT("/api/1/retention", { body: rules }));
}

/** What the rules would do to each bucket. */
export type BucketDownsampling = Awaited<ReturnType<typeof previewRetention>>[number];

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
  { format: "json", label: "JSON", what: () => t("api.forThisAndEveryActivitywatchServer") },
  { format: "csv", label: "CSV", what: () => t("api.aTableForSpreadsheets") },
  { format: "ndjson", label: "NDJSON", what: () => t("api.oneLineOfJsonPerEvent") },
] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number]["format"];

/** The URL of an export of everything, or of one bucket. */
export function exportAddress(format: ExportFormat, bucket?: string): string {
  const query = new URLSearchParams({ format, ...(bucket === undefined ? {} : { bucket }) });
  return `${BASE}/api/1/export?${query}`;
}
