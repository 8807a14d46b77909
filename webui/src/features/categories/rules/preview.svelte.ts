// The preview of the edited list: requested after a pause in typing; earlier requests are canceled.
import { createQuery } from "@tanstack/svelte-query";
import { categoryQueries, type PreviewPeriod } from "../data";
import { Problem } from "../../../core/api/problem";
import { queryClient } from "../../../core/api/queries";
import { faultPlace, samePath, type Path, type Prepared } from "./rules";
import type { Editor } from "../draft/editor.svelte";
import type { Note } from "./RuleNotes.svelte";

const QUIET = 250;

/** Call during component initialization. */
export function usePreview(editor: Editor, period: () => PreviewPeriod) {
  let settled = $state.raw<Prepared>({ categories: [], places: [] });
  let isSettled = $state(false);
  $effect(() => {
    const next = editor.prepared;
    isSettled = false;
    void queryClient.cancelQueries({ queryKey: ["preview"] });
    if (!editor.isChanged) return;
    const timer = setTimeout(() => {
      settled = next;
      isSettled = true;
    }, QUIET);
    return () => clearTimeout(timer);
  });
  const query = createQuery(() => ({
    ...categoryQueries.preview(settled.categories, period()),
    enabled: isSettled && editor.isChanged,
  }));
  const isWaiting = $derived(editor.isChanged && (!isSettled || query.isFetching));

  /** Notes about a condition, the classic rule (null), or the category. */
  function notes(path: Path, condition: number | null | "all"): Note[] {
    if (!editor.isChanged) return [];
    const place = settled.categories.findIndex(({ name }) => samePath(name, path));
    const found: Note[] = [];
    const error = query.error;
    if (error instanceof Problem && !query.isFetching) {
      const fault = faultPlace(error.body.field, settled);
      if (fault && fault.category === place && fault.condition === condition)
        found.push({ tone: "danger", text: withoutPlace(error.message) });
      return found;
    }
    for (const warning of query.data?.warnings ?? []) {
      const shown =
        warning.kind === "too_broad"
          ? "all"
          : warning.condition === null
            ? null
            : settled.places[place]?.[warning.condition];
      if (samePath(warning.category, path) && shown === condition)
        found.push({ tone: "warn", text: sentence(warning.message) });
    }
    return found;
  }

  return {
    query,
    notes,
    get isWaiting(): boolean {
      return isWaiting;
    },
  };
}

export type PreviewState = ReturnType<typeof usePreview>;

/** The message without its position, because it is shown there. */
function withoutPlace(message: string): string {
  return sentence(message.replace(/^categories\[\d+\][\w.[\]]*: /, ""));
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
