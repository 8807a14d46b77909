import { session } from "../../api/session.svelte";
import { t } from "../../core/i18n/translate.svelte";
import { go } from "../../lib/url/location.svelte";
import type { CommandSource } from "../shell/commands";

export const goalCommands: CommandSource = () =>
  session.isFull
    ? [
        {
          label: t("common.newGoal"),
          run: () => go(["settings", "goals"], new URLSearchParams({ new: "goal" })),
        },
      ]
    : [];
