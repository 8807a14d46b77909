// The registry of the palette: a feature adds its commands here. Loaded together with the palette.
import { accessCommands } from "../access/commands";
import { annotateCommands } from "../annotate/commands";
import { goalCommands } from "../goals/commands";
import { importerCommands } from "../importer/commands";
import { settingsCommands } from "../settings/commands";
import { timerCommands } from "../timer/commands";
import type { CommandSource } from "./commands";
import { shellCommands } from "./shell-commands";

export const COMMAND_SOURCES: readonly CommandSource[] = [
  shellCommands,
  timerCommands,
  annotateCommands,
  goalCommands,
  importerCommands,
  accessCommands,
  settingsCommands,
];
