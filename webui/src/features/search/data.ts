// Full-text search, saved searches, and deleting events from the results.
import { fits, type SearchGroup, type SearchSort } from "./hits/hit-text";
import { api, body } from "../../core/api/client";
import { preferences } from "../../core/api/preferences.svelte";
import { rangeQuery } from "../../core/api/queries";
import { newGroup } from "../../core/api/undo.svelte";
import { changeSetting, settingQuery } from "../../core/api/settings";
import type { SearchResponse, SearchHit } from "../../core/api/schema";
import type { View } from "../../core/url/view";

const PAGE = 50;

export interface SearchFor {
  readonly q: string;
  /** Undefined for all time. */
  readonly view: View | undefined;
  readonly devices: readonly string[];
  readonly group: SearchGroup;
  readonly sort: SearchSort;
}

function parameters({ q, view, devices, group, sort }: SearchFor) {
  // Filters are written into the query, because this endpoint has no filter parameter.
  const range = view ? rangeQuery({ ...view, filters: [] }) : { tz: preferences.zone };
  return { q, ...range, ...(devices.length ? { device: [...devices] } : {}), group, sort };
}

/** Pages of hits. The stream does not invalidate them, so that results do not move while they are read. */
export function searchQuery(search: SearchFor) {
  return {
    queryKey: ["search", search],
    queryFn: ({ signal, pageParam }: { signal: AbortSignal; pageParam: string }): Promise<SearchResponse> =>
      body(
        api.GET("/api/1/search", {
          params: {
            query: { ...parameters(search), limit: PAGE, ...(pageParam ? { cursor: pageParam } : {}) },
          },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (last: SearchResponse) => last.cursor ?? undefined,
    gcTime: 60_000,
    enabled: search.q.trim() !== "",
  };
}

export interface SavedSearch {
  readonly name: string;
  /** The URL parameters of the search. */
  readonly params: string;
}

const SAVED = "dayline.saved_searches";

const savedOf = (stored: unknown): readonly SavedSearch[] =>
  Array.isArray(stored) ? (stored as unknown[]).filter(isSaved) : [];

export const savedSearches = () => settingQuery(SAVED, savedOf);

function isSaved(value: unknown): value is SavedSearch {
  const saved = value as Partial<SavedSearch> | null;
  return typeof saved?.name === "string" && typeof saved.params === "string";
}

/** Change the saved searches; returns the undo. */
export function changeSearches(
  change: (list: readonly SavedSearch[]) => readonly SavedSearch[],
): Promise<() => Promise<void>> {
  return changeSetting(SAVED, savedOf, change);
}

const AT_ONCE = 500;
const MOST = 10_000;

export interface FoundEvents {
  readonly byBucket: ReadonlyMap<string, readonly number[]>;
  readonly count: number;
  readonly seconds: number;
  /** There are more events than one call deletes. */
  readonly isCut: boolean;
}

/** All events of some hits; a hit itself contains only its latest event. */
export async function eventsOf(
  search: SearchFor,
  hits: readonly SearchHit[],
  signal?: AbortSignal,
): Promise<FoundEvents> {
  const events: EventsSoFar = { byBucket: new Map(), count: 0, seconds: 0, isCut: false };
  const named = search.group === "thing" ? hits.filter(({ key }) => key !== null) : [];
  for (const hit of named) await addEvents(events, search, [hit], { thing: hit.key ?? "" }, signal);
  const others = hits.filter((hit) => !named.includes(hit));
  if (others.length > 0)
    await addEvents(
      events,
      search,
      others,
      { bucket: [...new Set(others.map((hit) => hit.bucket))] },
      signal,
    );
  return events;
}

interface EventsSoFar extends FoundEvents {
  readonly byBucket: Map<string, readonly number[]>;
  count: number;
  seconds: number;
  isCut: boolean;
}

async function addEvents(
  events: EventsSoFar,
  search: SearchFor,
  hits: readonly SearchHit[],
  narrowed: { readonly thing?: string; readonly bucket?: string[] },
  signal?: AbortSignal,
): Promise<void> {
  let [seen, added] = [0, 0];
  let cursor: string | null = null;
  do {
    const query: ReturnType<typeof parameters> & { limit: number; cursor?: string } & typeof narrowed = {
      ...parameters({ ...search, group: "none", sort: "recent" }),
      limit: AT_ONCE,
      ...(cursor ? { cursor } : {}),
      ...narrowed,
    };
    const answer: SearchResponse = await body(api.GET("/api/1/search", { params: { query }, signal }));
    for (const each of answer.hits) {
      if (narrowed.thing === undefined && !hits.some((hit) => fits(each, hit, search.group))) continue;
      events.byBucket.set(each.bucket, [...(events.byBucket.get(each.bucket) ?? []), each.event.id]);
      events.count += 1;
      events.seconds += each.event.duration;
      added += 1;
    }
    seen += answer.hits.length;
    cursor = answer.cursor;
  } while (cursor && seen < MOST && added < wanted(hits));
  events.isCut ||= cursor !== null && added < wanted(hits);
}

function wanted(hits: readonly SearchHit[]): number {
  return hits.reduce((sum, hit) => sum + hit.count, 0);
}

/** Delete events as one change; returns its undo. */
export async function deleteEvents(events: FoundEvents): Promise<() => Promise<void>> {
  const { headers, undo } = newGroup();
  for (const [bucket, ids] of events.byBucket) {
    await body(
      api.POST("/api/1/events/delete", {
        headers,
        body: { bucket, ids: [...ids], start: null, end: null, edge: "begin", data: [], dry_run: false },
      }),
    );
  }
  return undo;
}
