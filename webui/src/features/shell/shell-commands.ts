import { latestAct } from "../../api/undo.svelte";
import { t } from "../../core/i18n/translate.svelte";
import { location } from "../../lib/url/location.svelte";
import { undoAndSay } from "../../ui/toasts.svelte";
import type { CommandSource } from "./commands";
import { dialogs } from "./dialogs.svelte";
import { pageNamed } from "./pages";
import { screen } from "./screen.svelte";

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
