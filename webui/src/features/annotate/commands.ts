import { session } from "../../core/api/session.svelte";
import { t } from "../../core/i18n/translate.svelte";
import { go } from "../../core/url/location.svelte";
import type { CommandSource } from "../../core/commands";

export const annotateCommands: CommandSource = () =>
  session.isFull
    ? [
        {
          label: t("annotate.annotateTheLastHour"),
          run: () => go(["today"], new URLSearchParams({ annotate: "new" })),
        },
      ]
    : [];
