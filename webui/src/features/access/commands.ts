import { session } from "../../api/session.svelte";
import { t } from "../../core/i18n/translate.svelte";
import { go } from "../../lib/url/location.svelte";
import type { CommandSource } from "../shell/commands";

export const accessCommands: CommandSource = () =>
  session.isFull
    ? [{ label: t("common.newKey"), run: () => go(["access"], new URLSearchParams({ new: "key" })) }]
    : [];
