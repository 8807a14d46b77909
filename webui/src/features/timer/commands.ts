import { session } from "../../api/session.svelte";
import { go } from "../../lib/url/location.svelte";
import type { CommandSource } from "../shell/commands";

export const timerCommands: CommandSource = () =>
  session.isFull
    ? [{ label: "Start a timer", run: () => go(["today"], new URLSearchParams({ timer: "new" })) }]
    : [];
