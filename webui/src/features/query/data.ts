// Queries: run, check and explain them; saved queries.
import { withCategories, CATEGORIES } from "./categories";
import { parseSaved, type SavedQuery } from "./saved";
import { api, body } from "../../core/api/client";
import { queryClient } from "../../core/api/queries";

type Signal = { signal: AbortSignal };
const SAVED = "saved_queries";

export const queryQueries = {
  functions: () => ({
    queryKey: ["functions"],
    queryFn: ({ signal }: Signal) => body(api.GET("/api/1/query/functions", { signal })),
  }),
  saved: () => ({
    queryKey: ["settings", SAVED],
    queryFn: async ({ signal }: Signal) => parseSaved(await setting(SAVED, signal)),
  }),
};

function setting(key: string, signal?: AbortSignal): Promise<unknown> {
  return body(api.GET("/api/0/settings/{key}", { params: { path: { key } }, signal }));
}

export async function keepQueries(queries: readonly SavedQuery[]): Promise<void> {
  const params = { path: { key: SAVED } };
  await body(api.POST("/api/0/settings/{key}", { params, body: [...queries] }));
  queryClient.setQueryData(queryQueries.saved().queryKey, [...queries]);
}

async function complete(program: string, signal: AbortSignal): Promise<string> {
  return program.includes(CATEGORIES) ? withCategories(program, await setting("classes", signal)) : program;
}

async function request(program: string, range: { start: string; end: string }, signal: AbortSignal) {
  return {
    query: await complete(program, signal),
    timeperiods: [`${range.start}/${range.end}`],
    name: "",
    timeout_s: null,
    max_result_bytes: null,
  };
}

/** Run a query. Aborting the call cancels the query on the server. */
export async function runQuery(program: string, range: { start: string; end: string }, signal: AbortSignal) {
  return body(api.POST("/api/1/query", { body: await request(program, range, signal), signal }));
}

export async function explainQuery(
  program: string,
  range: { start: string; end: string },
  signal: AbortSignal,
) {
  return body(api.POST("/api/1/query/explain", { body: await request(program, range, signal), signal }));
}

export async function checkQuery(program: string, signal: AbortSignal) {
  return body(api.POST("/api/1/query/check", { body: { query: await complete(program, signal) }, signal }));
}
