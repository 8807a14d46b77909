// Runs one query at a time. The last result stays until there is a newer one.
import { isAbort } from "../../../core/api/problem";
import { explainQuery, runQuery } from "../data";
import type { QueryResponse, QueryExplanation } from "../../../core/api/schema";

export type Answer =
  | { readonly kind: "result"; readonly answer: QueryResponse; readonly ms: number }
  | { readonly kind: "explanation"; readonly answer: QueryExplanation; readonly ms: number };

export type Run =
  | { readonly state: "idle"; readonly last?: Answer }
  | { readonly state: "running"; readonly last?: Answer }
  | { readonly state: "failed"; readonly error: unknown; readonly last?: Answer };

interface Range {
  readonly start: string;
  readonly end: string;
}

export class Runner {
  #run = $state.raw<Run>({ state: "idle" });
  #aborter: AbortController | undefined;

  get run(): Run {
    return this.#run;
  }

  async start(kind: Answer["kind"], program: string, range: Range): Promise<void> {
    this.cancel();
    const aborter = new AbortController();
    this.#aborter = aborter;
    const { last } = this.#run;
    this.#run = { state: "running", last };
    const since = performance.now();
    try {
      const answered =
        kind === "result"
          ? { kind, answer: await runQuery(program, range, aborter.signal) }
          : { kind, answer: await explainQuery(program, range, aborter.signal) };
      if (this.#aborter === aborter)
        this.#run = { state: "idle", last: { ...answered, ms: performance.now() - since } as Answer };
    } catch (error) {
      if (this.#aborter !== aborter) return;
      this.#run = isAbort(error) ? { state: "idle", last } : { state: "failed", error, last };
    }
  }

  /** Abort the call, which cancels the query on the server. */
  cancel(): void {
    this.#aborter?.abort();
    this.#aborter = undefined;
    if (this.#run.state === "running") this.#run = { state: "idle", last: this.#run.last };
  }
}
