// Why an event has its category.
import type { SummaryQuery } from "../../core/api/queries";
import { api, body } from "../../core/api/client";
import type { Explanation } from "../../core/api/schema";

/** What to explain: an event, data, a time, or the time behind a row of a list. */
export type WhySubject =
  | { readonly bucket: string; readonly id: number }
  | { readonly data: Readonly<Record<string, unknown>>; readonly type?: string }
  | { readonly at: string; readonly device?: string; readonly orElse?: Readonly<Record<string, unknown>> }
  | { readonly timeOf: Pick<SummaryQuery, "start" | "end" | "period" | "date" | "tz" | "device" | "filter"> };

/** The explanation; undefined if there is no such time. */
export async function explain(subject: WhySubject, signal?: AbortSignal): Promise<Explanation | undefined> {
  const asked = "timeOf" in subject ? await momentOf(subject.timeOf, signal) : subject;
  if (!asked) return undefined;
  const { orElse, ...request } = { orElse: undefined, ...asked };
  const found = await ask(request, signal);
  // A window that just became active is not part of a recorded span yet.
  return found.is_active || !orElse ? found : ask({ data: orElse }, signal);
}

function ask(request: object, signal?: AbortSignal): Promise<Explanation> {
  return body(api.POST("/api/1/categories/explain", { body: request as never, signal }));
}

/** A row sums up many events; the longest span represents them. */
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
      // The middle of a merged span need not belong to it.
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
