import { latestAct } from "../../api/undo.svelte";
import { location } from "../../lib/url/location.svelte";
import { undoAndSay } from "../../ui/toasts.svelte";
import type { CommandSource } from "./commands";
import { dialogs } from "./dialogs.svelte";
import { pageNamed } from "./pages";
import { screen } from "./screen.svelte";

export const shellCommands: CommandSource = () => {
  const act = latestAct();
  return [
    ...(act ? [{ label: `Undo: ${act.what}`, keys: "Ctrl z", run: () => void undoAndSay(act) }] : []),
    ...(pageNamed(location.page)?.hasView
      ? [{ label: "Add filter", keys: "f", run: () => (dialogs.filter = true) }]
      : []),
    {
      label: screen.hidesTitles ? "Show titles" : "Hide titles",
      keys: "Shift B",
      run: () => screen.toggleTitles(),
    },
    { label: "Show keyboard shortcuts", keys: "?", run: () => (dialogs.help = true) },
  ];
};
