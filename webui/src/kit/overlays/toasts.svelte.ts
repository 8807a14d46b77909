// Toasts: short messages that disappear after a while.
import { messageOf } from "../../core/api/problem";
import { queryClient } from "../../core/api/queries";
import { remember, undo, undoById, type Done } from "../../core/api/undo.svelte";
import { t } from "../../core/i18n/translate.svelte";

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: "plain" | "danger";
  readonly act?: Done;
}

let toasts = $state.raw<readonly Toast[]>([]);
let next = 0;

export const shown = {
  get toasts(): readonly Toast[] {
    return toasts;
  },
};

export function say(text: string, act?: Done): void {
  add({ id: next++, text, tone: "plain", act });
}

/** Show what failed and why. */
export function sayFailed(what: string, error: unknown): void {
  add({ id: next++, text: `${what}: ${messageOf(error)}`, tone: "danger" });
}

/** Show what was done, with Undo: by the server's undo id, or by a function. */
export function sayDone(what: string, back: number | (() => Promise<void>)): void {
  const act = typeof back === "number" ? undoById(what, back) : { what, undo: back };
  remember(act);
  say(what, act);
}

export function dismiss(id: number): void {
  toasts = toasts.filter((toast) => toast.id !== id);
}

/** Undo an operation and confirm it. */
export async function undoAndSay(act: Done): Promise<void> {
  toasts = toasts.filter((toast) => toast.act !== act);
  try {
    await undo(act);
    await queryClient.invalidateQueries();
    say(t("common.undoneWhat", { what: act.what }));
  } catch (error) {
    sayFailed(t("common.couldNotUndo", { what: act.what }), error);
  }
}

function add(toast: Toast): void {
  toasts = [...toasts.slice(-2), toast];
}
