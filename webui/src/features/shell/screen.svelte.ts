// What is shown while somebody else looks on.
import { say } from "../../ui/toasts.svelte";

let hidesTitles = $state(false);

export const screen = {
  get hidesTitles(): boolean {
    return hidesTitles;
  },
  /** Titles and addresses are blurred wherever they are marked as private. */
  toggleTitles(): void {
    hidesTitles = !hidesTitles;
    if (hidesTitles) document.documentElement.dataset.titles = "hidden";
    else delete document.documentElement.dataset.titles;
    say(
      hidesTitles ? "Titles and addresses are hidden (Shift B shows them)" : "Titles and addresses are shown",
    );
  },
};
