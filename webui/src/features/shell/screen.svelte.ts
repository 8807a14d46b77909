// Screen-sharing mode.
import { say } from "../../ui/toasts.svelte";

let hidesTitles = $state(false);

export const screen = {
  get hidesTitles(): boolean {
    return hidesTitles;
  },
  /** Blurs everything marked as private, such as titles and URLs. */
  toggleTitles(): void {
    hidesTitles = !hidesTitles;
    if (hidesTitles) document.documentElement.dataset.titles = "hidden";
    else delete document.documentElement.dataset.titles;
    say(hidesTitles ? "Titles and URLs are hidden (Shift B to show)" : "Titles and URLs are visible");
  },
};
