import { session } from "../../core/api/session.svelte";
import { t } from "../../core/i18n/translate.svelte";
import { go } from "../../core/url/location.svelte";
import type { CommandSource } from "../../core/commands";

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
