// Screen-sharing mode.
import { t } from "../../core/i18n/translate.svelte";
import { say } from "../overlays/toasts.svelte";

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
    say(hidesTitles ? t("shell.titlesAndUrlsAreHiddenShiftB") : t("shell.titlesAndUrlsAreVisible"));
  },
};
