import { session } from "../../core/api/session.svelte";
import { t } from "../../core/i18n/translate.svelte";
import { go } from "../../core/url/location.svelte";
import type { CommandSource } from "../../core/commands";

export const accessCommands: CommandSource = () =>
  session.isFull
    ? [{ label: t("common.newKey"), run: () => go(["access"], new URLSearchParams({ new: "key" })) }]
    : [];
