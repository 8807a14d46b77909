// Each field is saved as soon as it changes; the result is shown next to it.
import { changePreferences, preferences } from "../../core/api/preferences.svelte";
import { messageOf, hintOf } from "../../core/api/problem";
import { queryClient } from "../../core/api/queries";
import type { Preferences } from "../../core/api/schema";
import { remember, undo, type Done } from "../../core/api/undo.svelte";
import { t } from "../../core/i18n/translate.svelte";
import { sayFailed } from "../../kit/overlays/toasts.svelte";

export type Field = keyof Preferences;
export type Outcome =
  | { readonly state: "saving" }
  | { readonly state: "saved"; readonly act: Done }
  | { readonly state: "undone" }
  | { readonly state: "failed"; readonly message: string };

let outcomes = $state.raw<Partial<Record<Field, Outcome>>>({});

export function outcomeOf(field: Field): Outcome | undefined {
  return outcomes[field];
}

function note(field: Field, outcome: Outcome | undefined): void {
  outcomes = { ...outcomes, [field]: outcome };
}

export function forgetOutcomes(): void {
  outcomes = {};
}

/** Save one field. The server validates the value; until then the old one stays. */
export async function save<F extends Field>(
  field: F,
  value: Preferences[F],
  label: string,
): Promise<boolean> {
  const before = preferences.value[field];
  if (before === value) {
    note(field, undefined);
    return true;
  }
  note(field, { state: "saving" });
  try {
    await change(field, value);
  } catch (error) {
    note(field, { state: "failed", message: [messageOf(error), hintOf(error)].filter(Boolean).join("; ") });
    return false;
  }
  const act: Done = {
    what: t("settings.changed", { label }),
    undo: async () => {
      await change(field, before);
      note(field, { state: "undone" });
    },
  };
  remember(act);
  note(field, { state: "saved", act });
  return true;
}

async function change<F extends Field>(field: F, value: Preferences[F]): Promise<void> {
  await changePreferences({ [field]: value });
  // Days may start at another time now, so all daily sums are invalid.
  await queryClient.invalidateQueries({
    predicate: ({ queryKey }) => ["settings", "data"].includes(String(queryKey[0])),
  });
}

export async function takeBack(act: Done): Promise<void> {
  try {
    await undo(act);
  } catch (error) {
    sayFailed(t("common.couldNotUndo", { what: act.what }), error);
  }
}
