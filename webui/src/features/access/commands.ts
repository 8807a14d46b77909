import { session } from "../../api/session.svelte";
import { go } from "../../lib/url/location.svelte";
import type { CommandSource } from "../shell/commands";

export const accessCommands: CommandSource = () =>
  session.isFull
    ? [{ label: "New key", run: () => go(["access"], new URLSearchParams({ new: "key" })) }]
    : [];
