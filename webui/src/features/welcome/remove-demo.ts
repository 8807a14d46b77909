import { removeDemo } from "./data";
import { t } from "../../core/i18n/translate.svelte";
import { sayDone, sayFailed } from "../../kit/overlays/toasts.svelte";

/** Remove the demo data, with undo. */
export async function removeDemoAndSay(): Promise<void> {
  try {
    sayDone(t("welcome.demoDataRemoved"), await removeDemo());
  } catch (error) {
    sayFailed(t("welcome.couldNotRemoveTheDemoData"), error);
  }
}
