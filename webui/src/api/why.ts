// Why something has its category.
import type { SummaryQuery } from "./queries";
import { api, body } from "./client";
import type { Explanation } from "./schema";

/** What is to be explained: an event, data, a moment, or the time that a list's row stands for. */
export type WhySubject =
  | { readonly bucket: string; readonly id: number }
  | { readonly data: Readonly<Record<string, unknown>>; readonly type?: string }
  | { readonly at: string; readonly device?: string; readonly orElse?: Readonly<Record<string, unknown>> }
  | { readonly timeOf: Pick<SummaryQuery, "start" | "end" | "period" | "date" | "tz" | "device" | "filter"> };

/** What explains it; undefined where there is no such time. */
export async function explain(subject: WhySubject, signal?: AbortSignal): Promise<Explanation | undefined> {
  const asked = "timeOf" in subject ? await momentOf(subject.timeOf, signal) : subject;
  if (!asked) return undefined;
  const { orElse, ...request } = { orElse: undefined, ...asked };
  const found = await ask(request, signal);
  // What has only just come in front is in no stretch of time yet.
  return found.is_active || !orElse ? found : ask({ data: orElse }, signal);
}

function ask(request: object, signal?: AbortSignal): Promise<Explanation> {
  return body(api.POST("/api/1/categories/explain", { body: request as never, signal }));
}

/** A row is many events: the longest stretch of them stands for all. */
async function momentOf(query: Extract<WhySubject, { timeOf: unknown }>["timeOf"], signal?: AbortSignal) {
  const answer = await body(
    api.GET("/api/1/timeline", {
      params: { query: { ...query, lanes: ["device"], px: 10_000 } },
      signal,
    }),
  );
  let best: { at: string; device: string } | undefined;
  let longest = 0;
  for (const lane of answer.lanes) {
    let place = new Date(answer.range.start).getTime() * 1000;
    for (const [index, gap] of lane.gap.entries()) {
      const length = lane.dur[index] ?? 0;
      place += gap;
      // Of what is merged, the middle need not be of it.
      const weight = lane.n[index] === 1 ? length + 1e12 : length;
      if (weight > longest) {
        longest = weight;
        best = { at: new Date((place + length / 2) / 1000).toISOString(), device: lane.device };
      }
      place += length;
    }
  }
  return best;
}

export const whyQuery = (subject: WhySubject) => ({
  queryKey: ["categories", "explain", subject],
  queryFn: async ({ signal }: { signal: AbortSignal }) => (await explain(subject, signal)) ?? null,
  placeholderData: undefined,
});
