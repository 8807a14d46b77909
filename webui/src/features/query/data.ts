// Queries: run, check and explain them; saved queries.
import { withCategories, CATEGORIES } from "./categories";
import { parseSaved, type SavedQuery } from "./saved";
import { api, body } from "../../core/api/client";
import { changeSetting, readSetting, settingQuery } from "../../core/api/settings";

type Signal = { signal: AbortSignal };
const SAVED = "saved_queries";

export const queryQueries = {
  functions: () => ({
    queryKey: ["functions"],
    queryFn: ({ signal }: Signal) => body(api.GET("/api/1/query/functions", { signal })),
  }),
  saved: () => settingQuery(SAVED, parseSaved),
};

/** Change the saved queries; returns the undo. */
export function changeQueries(
  change: (queries: readonly SavedQuery[]) => SavedQuery[],
): Promise<() => Promise<void>> {
  return changeSetting(SAVED, parseSaved, change);
}

async function complete(program: string, signal: AbortSignal): Promise<string> {
  return program.includes(CATEGORIES)
    ? withCategories(program, await readSetting("classes", signal))
    : program;
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
