// The state of the backups.
import type { BackupList, BackupView, HealthView } from "../../core/api/schema";
import { t } from "../../core/i18n/translate.svelte";

export type Standing =
  | { readonly kind: "none" }
  | { readonly kind: "good"; readonly last: BackupView }
  | { readonly kind: "bad"; readonly last: BackupView | undefined; readonly reasons: readonly Reason[] };

export interface Reason {
  readonly message: string;
  readonly hint: string | null;
}

/** Good means: the newest backup is intact, and health reports no problem. */
export function standingOf(list: BackupList, health: HealthView | undefined): Standing {
  const newest = list.backups[0];
  const reasons: Reason[] = (health?.problems ?? [])
    .filter((problem) => problem.kind === "backup")
    .map(({ message, hint }) => ({ message, hint }));
  const failure = list.last_failure;
  if (failure && !reasons.some(({ message }) => message.includes(failure.message)))
    reasons.push({ message: failure.message, hint: null });
  if (newest?.state === "failed" && reasons.length === 0)
    reasons.push({ message: newest.problem ?? t("backups.theNewestBackupIsDamaged"), hint: null });
  const last = list.backups.find((backup) => backup.state === "verified");
  if (reasons.length > 0) return { kind: "bad", last, reasons };
  return last ? { kind: "good", last } : { kind: "none" };
}

export function bytesOf(list: BackupList): number {
  return list.backups.reduce((sum, backup) => sum + backup.bytes, 0);
}
