import { latestAct } from "../../core/api/undo.svelte";
import { t } from "../../core/i18n/translate.svelte";
import { location } from "../../core/url/location.svelte";
import { undoAndSay } from "../../kit/overlays/toasts.svelte";
import type { CommandSource } from "../../core/commands";
import { dialogs } from "../../features/keyboard/dialogs.svelte";
import { pageNamed } from "../../core/url/pages";
import { screen } from "../../kit/display/screen.svelte";

export const shellCommands: CommandSource = () => {
  const act = latestAct();
  return [
    ...(act
      ? [{ label: t("shell.undo", { what: act.what }), keys: "Ctrl z", run: () => void undoAndSay(act) }]
      : []),
    ...(pageNamed(location.page)?.hasView
      ? [{ label: t("common.addFilter"), keys: "f", run: () => (dialogs.filter = true) }]
      : []),
    {
      label: screen.hidesTitles ? t("shell.showTitles") : t("shell.hideTitles"),
      keys: "Shift B",
      run: () => screen.toggleTitles(),
    },
    { label: t("shell.showKeyboardShortcuts"), keys: "?", run: () => (dialogs.help = true) },
  ];
};
