import { session } from "../../core/api/session.svelte";
import { t } from "../../core/i18n/translate.svelte";
import { go } from "../../core/url/location.svelte";
import type { CommandSource } from "../../core/commands";

export const goalCommands: CommandSource = () =>
  session.isFull
    ? [
        {
          label: t("common.newGoal"),
          run: () => go(["settings", "goals"], new URLSearchParams({ new: "goal" })),
        },
      ]
    : [];
