// API keys, browser sessions and the audit log.
import { api, body } from "../../core/api/client";
import type { NewKey } from "../../core/api/schema";

export interface AuditFilter {
  readonly key?: string;
  readonly bucket?: string;
  readonly refused?: boolean;
  readonly since?: string;
}

/** The stream does not report calls, so these are loaded again each time the page is opened. */
const staleTime = 0;

export const accessQueries = {
  keys: () => ({
    queryKey: ["keys"],
    staleTime,
    queryFn: ({ signal }: { signal: AbortSignal }) => body(api.GET("/api/1/keys", { signal })),
  }),
  sessions: () => ({
    queryKey: ["sessions"],
    staleTime,
    queryFn: ({ signal }: { signal: AbortSignal }) => body(api.GET("/api/1/sessions", { signal })),
  }),
  /** Pages of audit lines, newest first; the cursor of one page leads to the next. */
  audit: (filter: AuditFilter) => ({
    queryKey: ["audit", filter],
    staleTime,
    queryFn: ({ signal, pageParam }: { signal: AbortSignal; pageParam: number | null }) =>
      body(
        api.GET("/api/1/audit", {
          params: { query: { ...filter, limit: 50, ...(pageParam === null ? {} : { cursor: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: null as number | null,
    getNextPageParam: (page: { cursor: number | null }) => page.cursor,
  }),
};

export function createKey(key: NewKey) {
  return body(api.POST("/api/1/keys", { body: key }));
}

export function rotateKey(id: string, grace_s: number) {
  return body(
    api.POST("/api/1/keys/{key_id}/rotate", { params: { path: { key_id: id } }, body: { grace_s } }),
  );
}

export function revokeSession(id: string) {
  return body(api.DELETE("/api/1/sessions/{session_id}", { params: { path: { session_id: id } } }));
}

export function confirmSession(id: string) {
  return body(api.POST("/api/1/sessions/{session_id}/confirm", { params: { path: { session_id: id } } }));
}

export function revokeKey(id: string) {
  return body(api.DELETE("/api/1/keys/{key_id}", { params: { path: { key_id: id } } }));
}
