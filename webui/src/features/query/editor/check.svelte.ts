// Checks the query shortly after the last key.
import { isAbort } from "../../../core/api/problem";
import { checkQuery } from "../data";
import type { QueryFault } from "../../../core/api/schema";

const WAIT = 250;

/** Call during component initialization. */
export function useCheck(program: () => string): { readonly faults: readonly QueryFault[] } {
  let faults = $state.raw<readonly QueryFault[]>([]);
  $effect(() => {
    const text = program();
    if (!text.trim()) {
      faults = [];
      return;
    }
    const aborter = new AbortController();
    const timer = setTimeout(async () => {
      try {
        faults = (await checkQuery(text, aborter.signal)).errors;
      } catch (error) {
        // If the check itself fails, running the query will report the error.
        if (!isAbort(error)) faults = [];
      }
    }, WAIT);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  });
  return {
    get faults() {
      return faults;
    },
  };
}
