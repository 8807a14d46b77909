import { session } from "../../api/session.svelte";
import { t } from "../../core/i18n/translate.svelte";
import { go } from "../../lib/url/location.svelte";
import type { CommandSource } from "../shell/commands";

export const importerCommands: CommandSource = () => [
  { label: t("importer.exportData"), run: () => go(["buckets"], new URLSearchParams({ tab: "export" })) },
  ...(session.isFull
    ? [
        {
          label: t("importer.importData"),
          run: () => go(["buckets"], new URLSearchParams({ tab: "import" })),
        },
      ]
    : []),
];
