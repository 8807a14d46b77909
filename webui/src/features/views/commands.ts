import { session } from "../../core/api/session.svelte";
import { t } from "../../core/i18n/translate.svelte";
import { go, location } from "../../core/url/location.svelte";
import { parseHash } from "../../core/url/route";
import type { CommandSource } from "../../core/commands";
import { pageNamed } from "../../core/url/pages";
import { knownViews } from "./data";
import { nameView } from "./open";

export const viewCommands: CommandSource = () => [
  ...(session.isFull && pageNamed(location.page)?.hasView
    ? [{ label: t("views.saveThisView"), run: () => void nameView() }]
    : []),
  ...knownViews().map(({ name, hash }) => ({
    label: name,
    group: t("views.savedViews"),
    run: () => {
      const { path, params } = parseHash(hash);
      go(path, params);
    },
  })),
];
