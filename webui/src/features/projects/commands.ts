import { session } from "../../core/api/session.svelte";
import type { CommandSource } from "../../core/commands";
import { t } from "../../core/i18n/translate.svelte";
import { go } from "../../core/url/location.svelte";

export const projectCommands: CommandSource = () =>
  session.isFull
    ? [
        {
          label: t("projects.newProject"),
          run: () => go(["settings", "projects"], new URLSearchParams({ new: "project" })),
        },
      ]
    : [];
