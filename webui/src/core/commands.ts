// Commands of the palette. Every feature has a source of its own; `command-sources.ts` lists them.
export interface Command {
  readonly label: string;
  /** The heading in the palette; "Actions" by default. */
  readonly group?: string;
  readonly keys?: string;
  readonly run: () => void;
}

/** Called whenever the palette is drawn, so that commands can depend on the state of the page. */
export type CommandSource = () => readonly Command[];
