import type { CommandSource } from "../../core/commands";
import { t } from "../../core/i18n/translate.svelte";
import { go } from "../../core/url/location.svelte";

export const reportCommands: CommandSource = () => [
  { label: t("reports.newTimesheet"), run: () => go(["reports"]) },
  { label: t("reports.timesheetCsv"), run: () => go(["reports"]) },
];
