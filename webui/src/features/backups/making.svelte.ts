// The running backup; it continues while the user is on another page.
import { makeBackup } from "./data";
import { queryClient } from "../../core/api/queries";
import { t } from "../../core/i18n/translate.svelte";
import { now } from "../../core/time/clock";
import { bytes } from "../../core/text/amount";
import { say, sayFailed } from "../../kit/overlays/toasts.svelte";

let since = $state<number | undefined>();

export const making = {
  /** When it started; undefined if no backup is running. */
  get since(): number | undefined {
    return since;
  },
};

export async function makeNow(): Promise<void> {
  if (since !== undefined) return;
  since = now();
  try {
    const made = await makeBackup();
    say(t("backups.backupCreatedAndVerified", { size: bytes(made.bytes) }));
  } catch (error) {
    sayFailed(t("backups.couldNotCreateABackup"), error);
  } finally {
    since = undefined;
    await queryClient.invalidateQueries({ queryKey: ["backups"] });
  }
}
