import { removeDemo } from "../../api/first-run";
import { sayDone, sayFailed } from "../../ui/toasts.svelte";

/** Remove the invented data, and say so with a way back. */
export async function removeDemoAndSay(): Promise<void> {
  try {
    sayDone("Removed the demo data", await removeDemo());
  } catch (error) {
    sayFailed("The demo data were not removed", error);
  }
}
