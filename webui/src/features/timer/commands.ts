import { session } from "../../core/api/session.svelte";
import { t } from "../../core/i18n/translate.svelte";
import { go } from "../../core/url/location.svelte";
import type { CommandSource } from "../../core/commands";

export const timerCommands: CommandSource = () =>
  session.isFull
    ? [{ label: t("timer.startATimer"), run: () => go(["today"], new URLSearchParams({ timer: "new" })) }]
    : [];
