import { session } from "../../core/api/session.svelte";
import { latestAct } from "../../core/api/undo.svelte";
import type { CommandSource } from "../../core/commands";
import { t } from "../../core/i18n/translate.svelte";
import { go } from "../../core/url/location.svelte";

export const changeCommands: CommandSource = () =>
  session.isFull
    ? [
        ...(latestAct()
          ? []
          : [
              {
                label: t("common.undo"),
                keys: "Ctrl z",
                run: () => void import("./newest").then(({ offerNewest }) => offerNewest()),
              },
            ]),
        { label: t("changes.showAll"), run: () => go(["buckets"], new URLSearchParams({ tab: "trash" })) },
      ]
    : [];
