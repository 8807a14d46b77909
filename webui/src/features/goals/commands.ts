import { session } from "../../api/session.svelte";
import { go } from "../../lib/url/location.svelte";
import type { CommandSource } from "../shell/commands";

export const goalCommands: CommandSource = () =>
  session.isFull
    ? [{ label: "New goal", run: () => go(["settings", "goals"], new URLSearchParams({ new: "goal" })) }]
    : [];
