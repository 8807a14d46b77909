import { session } from "../../api/session.svelte";
import { go } from "../../lib/url/location.svelte";
import type { CommandSource } from "../shell/commands";

export const importerCommands: CommandSource = () => [
  { label: "Export data", run: () => go(["buckets"], new URLSearchParams({ tab: "export" })) },
  ...(session.isFull
    ? [{ label: "Import data", run: () => go(["buckets"], new URLSearchParams({ tab: "import" })) }]
    : []),
];
