// Categories and their rules: read, preview, change and restore.
import type { Category, Condition } from "./rules/rules";
import { api, body } from "../../core/api/client";
import { rangeQuery } from "../../core/api/queries";
import { namesTime, parseView } from "../../core/url/view";
import { preferences } from "../../core/api/preferences.svelte";
import type { Categories, CategoriesChange, CategoryImport, Preview } from "../../core/api/schema";

export const PREVIEW_PERIODS = ["last-7-days", "last-30-days", "month", "year", "last-year"] as const;
export type PreviewPeriod = (typeof PREVIEW_PERIODS)[number];

interface Signal {
  signal: AbortSignal;
}

/** As the server sends them: for `data` its schema only promises an object. */
function sent(list: readonly Category[]): CategoriesChange["categories"] {
  return list as unknown as CategoriesChange["categories"];
}

/** As the editor uses them. */
export function edited(answer: Pick<Categories, "categories">): Category[] {
  return answer.categories as unknown as Category[];
}

/** The ETag of a version, which a change sends as `If-Match`. */
function tag(version: number): string {
  return `"categories-${version}"`;
}

export const categoryQueries = {
  /** Of the period that the address names, or of the last 30 days. */
  suggestions: (params: URLSearchParams = new URLSearchParams()) => {
    const time = namesTime(params)
      ? rangeQuery({ ...parseView(params), filters: [], devices: [] })
      : { period: "last-30-days" as const, tz: preferences.zone };
    return {
      queryKey: ["categories", "suggestions", time],
      queryFn: ({ signal }: Signal) =>
        body(api.GET("/api/1/categories/suggestions", { params: { query: { ...time, limit: 50 } }, signal })),
    };
  },
  starters: () => ({
    queryKey: ["starters"],
    queryFn: ({ signal }: Signal) => body(api.GET("/api/1/categories/starters", { signal })),
  }),
  versions: () => ({
    queryKey: ["categories", "versions"],
    queryFn: ({ signal }: Signal) =>
      body(api.GET("/api/1/categories/versions", { params: { query: { limit: 100 } }, signal })),
  }),
  version: (number: number) => ({
    queryKey: ["versions of categories", number],
    queryFn: ({ signal }: Signal) =>
      body(
        api.GET("/api/1/categories/versions/{version}", { params: { path: { version: number } }, signal }),
      ),
  }),
  /** What a list of categories would change. The stream does not invalidate it: the next keystroke asks again. */
  preview: (list: readonly Category[], period: PreviewPeriod) => ({
    queryKey: ["preview", period, list],
    queryFn: ({ signal }: Signal): Promise<Preview> =>
      body(
        api.POST("/api/1/categories/preview", {
          params: { query: { period, tz: preferences.zone } },
          body: { categories: sent(list), samples: 20 },
          signal,
        }),
      ),
    gcTime: 30_000,
    retry: false,
  }),
};

export function readCategories(): Promise<Categories> {
  return body(api.GET("/api/1/categories"));
}

/** Replace the version that a list was made from; a Problem with status 412 if another client saved first. */
export function saveCategories(list: readonly Category[], from: number, comment: string) {
  return body(
    api.PUT("/api/1/categories", {
      params: { header: { "If-Match": tag(from) } },
      body: { categories: sent(list), comment },
    }),
  );
}

export function restoreVersion(version: number) {
  return body(api.POST("/api/1/categories/versions/{version}/restore", { params: { path: { version } } }));
}

/** The document that import accepts, as the text of a file. */
export async function exportCategories(): Promise<string> {
  return JSON.stringify(await body(api.GET("/api/1/categories/export")), null, 2);
}

export function ignoreSuggestion(id: string, isIgnored = true) {
  return body(api.POST("/api/1/categories/suggestions/ignore", { body: { id, is_ignored: isIgnored } }));
}

export function importCategories(
  document: unknown,
  mode: "merge" | "replace",
  dryRun: boolean,
): Promise<CategoryImport> {
  return body(
    api.POST("/api/1/categories/import", {
      params: { query: { mode, dry_run: dryRun } },
      body: document as never,
    }),
  );
}

export function suggestedCondition(condition: Condition): Condition {
  return {
    field: condition.field,
    op: condition.op,
    value: condition.value,
    ignore_case: condition.ignore_case,
  };
}
