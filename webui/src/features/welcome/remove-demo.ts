import { removeDemo } from "../../api/first-run";
import { sayDone, sayFailed } from "../../ui/toasts.svelte";

/** Remove the demo data, with undo. */
export async function removeDemoAndSay(): Promise<void> {
  try {
    sayDone("Demo data removed", await removeDemo());
  } catch (error) {
    sayFailed("Could not remove the demo data", error);
  }
}
