// The registry of the palette: a feature adds its commands here. Loaded together with the palette.
import { accessCommands } from "../../features/access/commands";
import { annotateCommands } from "../../features/annotate/commands";
import { goalCommands } from "../../features/goals/commands";
import { importerCommands } from "../../features/importer/commands";
import { projectCommands } from "../../features/projects/commands";
import { reportCommands } from "../../features/reports/commands";
import { settingsCommands } from "../../features/settings/commands";
import { timerCommands } from "../../features/timer/commands";
import { changeCommands } from "../../features/trash/commands";
import { viewCommands } from "../../features/views/commands";
import type { CommandSource } from "../../core/commands";
import { shellCommands } from "./shell-commands";

export const COMMAND_SOURCES: readonly CommandSource[] = [
  shellCommands,
  changeCommands,
  reportCommands,
  viewCommands,
  timerCommands,
  annotateCommands,
  goalCommands,
  projectCommands,
  importerCommands,
  accessCommands,
  settingsCommands,
];
