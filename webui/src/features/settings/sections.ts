// The sections of the settings, and a search by keywords.
import { t, type Label } from "../../core/i18n/translate.svelte";

export const SECTIONS = [
  { name: "general", label: () => t("settings.general") },
  { name: "appearance", label: () => t("settings.appearance") },
  { name: "keyboard", label: () => t("settings.keyboard") },
  { name: "privacy", label: () => t("settings.privacyRules") },
  { name: "goals", label: () => t("common.goals") },
  { name: "projects", label: () => t("common.projects") },
  { name: "devices", label: () => t("settings.devices") },
  { name: "data", label: () => t("common.data") },
  { name: "server", label: () => t("settings.server") },
] as const;
export type SectionName = (typeof SECTIONS)[number]["name"];

export interface Setting {
  readonly id: string;
  readonly section: SectionName;
  readonly label: Label;
  /** Keywords for the search. */
  readonly words: Label;
}

export const SETTINGS: readonly Setting[] = [
  {
    id: "time_zone",
    section: "general",
    label: () => t("settings.timeZone"),
    words: () => t("settings.clockLocalUtcDaylightSavingDst"),
  },
  {
    id: "day_start",
    section: "general",
    label: () => t("settings.dayStartsAt"),
    words: () => t("settings.midnightMorningNightHour"),
  },
  {
    id: "week_start",
    section: "general",
    label: () => t("settings.weekStartsOn"),
    words: () => t("settings.mondaySundaySaturday"),
  },
  {
    id: "language",
    section: "general",
    label: () => t("settings.language"),
    words: () => t("settings.languageWords"),
  },
  {
    id: "duration_style",
    section: "general",
    label: () => t("settings.durations"),
    words: () => t("settings.hoursMinutesDecimalFormatTime"),
  },
  {
    id: "theme",
    section: "appearance",
    label: () => t("settings.theme"),
    words: () => t("settings.darkLightColorColorModeNight"),
  },
  {
    id: "density",
    section: "appearance",
    label: () => t("settings.density"),
    words: () => t("settings.compactComfortableRowHeightSmall"),
  },
  {
    id: "reduced_motion",
    section: "appearance",
    label: () => t("settings.motion"),
    words: () => t("settings.animationReducedMovement"),
  },
  {
    id: "single_letter_keys",
    section: "keyboard",
    label: () => t("settings.singleLetterKeys"),
    words: () => t("settings.shortcutsHotkeys"),
  },
  {
    id: "keys",
    section: "keyboard",
    label: () => t("settings.allShortcuts"),
    words: () => t("settings.keysHotkeysPalette"),
  },
  {
    id: "rules",
    section: "privacy",
    label: () => t("settings.privacyRules"),
    words: () => t("settings.dropRedactRewriteHideTitlePassword"),
  },
  {
    id: "redactions",
    section: "privacy",
    label: () => t("settings.changesToHistory"),
    words: () => t("settings.undoFinalRedactionApply"),
  },
  {
    id: "goals",
    section: "goals",
    label: () => t("common.goals"),
    words: () => t("settings.targetLimitAlertStreak"),
  },
  {
    id: "work_hours",
    section: "goals",
    label: () => t("goals.workHours"),
    words: () => t("settings.workHoursWords"),
  },
  {
    id: "projects",
    section: "projects",
    label: () => t("common.projects"),
    words: () => t("projects.clientCustomerRateBillableRules"),
  },
  {
    id: "recording",
    section: "devices",
    label: () => t("common.recordThisComputer"),
    words: () => t("settings.watcherWindowAwayStopOffOn"),
  },
  {
    id: "sync",
    section: "devices",
    label: () => t("sync.title"),
    words: () => t("sync.words"),
  },
  {
    id: "devices",
    section: "devices",
    label: () => t("settings.devices"),
    words: () => t("settings.renameComputerPhoneHostHostname"),
  },
  {
    id: "space",
    section: "data",
    label: () => t("common.diskSpace"),
    words: () => t("settings.sizeBytesStorageDatabaseCompact"),
  },
  {
    id: "backups",
    section: "data",
    label: () => t("common.backups"),
    words: () => t("settings.restoreSnapshotCopy"),
  },
  {
    id: "retention",
    section: "data",
    label: () => t("common.retention"),
    words: () => t("settings.deleteOldKeepDaysDownsample"),
  },
  {
    id: "health",
    section: "server",
    label: () => t("common.health"),
    words: () => t("settings.problemsStatusCheckDamage"),
  },
  {
    id: "address",
    section: "server",
    label: () => t("common.address"),
    words: () => t("settings.urlHostPortVersionStartedUptime"),
  },
  {
    id: "file",
    section: "server",
    label: () => t("settings.settingsFile"),
    words: () => t("settings.configTomlFlagsEnvironmentOrigins"),
  },
  {
    id: "log",
    section: "server",
    label: () => t("settings.log"),
    words: () => t("settings.messagesErrorsWarningsRecords"),
  },
];

export function sectionNamed(name: string | undefined): SectionName {
  return SECTIONS.find((section) => section.name === name)?.name ?? "general";
}

/** The settings for which every typed word is the start of a keyword. */
export function findSettings(text: string): readonly Setting[] {
  const typed = text
    .toLowerCase()
    .split(/[\s-]+/)
    .filter(Boolean);
  if (typed.length === 0) return [];
  return SETTINGS.filter((setting) => {
    const known = `${setting.label()} ${setting.words()} ${setting.section}`.toLowerCase().split(/[\s-]+/);
    return typed.every((word) => known.some((each) => each.startsWith(word)));
  });
}
