import { session } from "../../api/session.svelte";
import { go } from "../../lib/url/location.svelte";
import type { CommandSource } from "../shell/commands";

export const annotateCommands: CommandSource = () =>
  session.isFull
    ? [
        {
          label: "Annotate the last hour",
          run: () => go(["today"], new URLSearchParams({ annotate: "new" })),
        },
      ]
    : [];
