// The queries of the pages, with the keys under which responses are cached and shared.
import { keepPreviousData, QueryClient } from "@tanstack/svelte-query";
import type { View } from "../url/view";
import { formatFilter } from "../url/view";
import { api, body } from "./client";
import { preferences } from "./preferences.svelte";
import { isAbort, NotConnected, Problem } from "./problem";
import type { paths } from "./schema";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The stream reports changes; until then the cached data is current.
      staleTime: Infinity,
      gcTime: 5 * 60_000,
      refetchOnWindowFocus: false,
      placeholderData: keepPreviousData,
      networkMode: "always", // the server is usually on this machine, so "offline" means nothing
      retry: (failures, error) => {
        if (isAbort(error)) return false;
        if (error instanceof NotConnected) return failures < 3;
        return error instanceof Problem && error.status === 503 && failures < 2;
      },
      retryDelay: (failures) => [300, 1000, 3000][failures] ?? 3000,
    },
  },
});

/** The parameters that select the time range of an insight call. */
export function rangeQuery(view: View) {
  const zone = preferences.value.time_zone ?? preferences.zone;
  const time = view.range
    ? { start: view.range.start, end: view.range.end }
    : { period: view.period, ...(view.date ? { date: view.date } : {}) };
  return {
    ...time,
    tz: zone,
    ...(view.devices.length ? { device: [...view.devices] } : {}),
    ...(view.filters.length ? { filter: view.filters.map(formatFilter) } : {}),
  };
}

export type Query<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Q } } }
  ? NonNullable<Q>
  : never;
export type SummaryQuery = Query<"/api/1/summary">;
export type SeriesQuery = Query<"/api/1/series">;
export type TimelineQuery = Query<"/api/1/timeline">;
export type SessionsQuery = Query<"/api/1/timeline/sessions">;

/** Keys start with what invalidates them: "data" (events), "categories", "buckets", "settings", "jobs", … */
export const queries = {
  summary: (query: SummaryQuery) => ({
    queryKey: ["data", "summary", query],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      body(api.GET("/api/1/summary", { params: { query }, signal })),
  }),
  series: (query: SeriesQuery) => ({
    queryKey: ["data", "series", query],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      body(api.GET("/api/1/series", { params: { query }, signal })),
  }),
  timeline: (query: TimelineQuery) => ({
    queryKey: ["data", "timeline", query],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      body(api.GET("/api/1/timeline", { params: { query }, signal })),
  }),
  activitySessions: (query: SessionsQuery) => ({
    queryKey: ["data", "activity sessions", query],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      body(api.GET("/api/1/timeline/sessions", { params: { query }, signal })),
  }),
  /** Those that overlap a range, from midnight to midnight or whatever it covers. */
  annotations: (start: string, end: string) => ({
    queryKey: ["data", "annotations", start, end],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      body(api.GET("/api/1/annotations", { params: { query: { start, end, limit: 100 } }, signal })),
    // Those of another day would be drawn at the edges.
    placeholderData: undefined,
  }),
  now: () => ({
    queryKey: ["now"],
    queryFn: ({ signal }: { signal: AbortSignal }) => body(api.GET("/api/1/now", { signal })),
  }),
  buckets: () => ({
    queryKey: ["buckets"],
    refetchInterval: 10_000, // a watcher that falls silent causes no message
    queryFn: ({ signal }: { signal: AbortSignal }) => body(api.GET("/api/1/buckets", { signal })),
  }),
  ownPages: () => ({
    queryKey: ["pages"],
    queryFn: ({ signal }: { signal: AbortSignal }) => body(api.GET("/pages/", { signal })),
  }),
  categories: () => ({
    queryKey: ["categories"],
    queryFn: ({ signal }: { signal: AbortSignal }) => body(api.GET("/api/1/categories", { signal })),
  }),
};
