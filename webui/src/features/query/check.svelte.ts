// Whether the program can be run, asked a moment after the last key.
import { isAbort } from "../../api/problem";
import { checkQuery } from "../../api/query";
import type { QueryFault } from "../../api/schema";

const WAIT = 250;

/** To be called while a component is made. */
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
        // Running it will tell what is wrong; a check that fails is no fault of the program.
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
