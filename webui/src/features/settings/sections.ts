// The sections of the settings, and a search by keywords.
import { t } from "../../core/i18n/translate.svelte";

export const SECTIONS = [
  {
    name: "general",
    get label() {
      return t("settings.general");
    },
  },
  {
    name: "appearance",
    get label() {
      return t("settings.appearance");
    },
  },
  {
    name: "keyboard",
    get label() {
      return t("settings.keyboard");
    },
  },
  {
    name: "privacy",
    get label() {
      return t("settings.privacyRules");
    },
  },
  {
    name: "goals",
    get label() {
      return t("common.goals");
    },
  },
  {
    name: "projects",
    get label() {
      return t("common.projects");
    },
  },
  {
    name: "devices",
    get label() {
      return t("settings.devices");
    },
  },
  {
    name: "data",
    get label() {
      return t("common.data");
    },
  },
  {
    name: "server",
    get label() {
      return t("settings.server");
    },
  },
] as const;
export type SectionName = (typeof SECTIONS)[number]["name"];

export interface Setting {
  readonly id: string;
  readonly section: SectionName;
  readonly label: string;
  /** Keywords for the search. */
  readonly words: string;
}

export const SETTINGS: readonly Setting[] = [
  {
    id: "time_zone",
    section: "general",
    get label() {
      return t("settings.timeZone");
    },
    get words() {
      return t("settings.clockLocalUtcDaylightSavingDst");
    },
  },
  {
    id: "day_start",
    section: "general",
    get label() {
      return t("settings.dayStartsAt");
    },
    get words() {
      return t("settings.midnightMorningNightHour");
    },
  },
  {
    id: "week_start",
    section: "general",
    get label() {
      return t("settings.weekStartsOn");
    },
    get words() {
      return t("settings.mondaySundaySaturday");
    },
  },
  {
    id: "language",
    section: "general",
    get label() {
      return t("settings.language");
    },
    get words() {
      return t("settings.languageWords");
    },
  },
  {
    id: "duration_style",
    section: "general",
    get label() {
      return t("settings.durations");
    },
    get words() {
      return t("settings.hoursMinutesDecimalFormatTime");
    },
  },
  {
    id: "theme",
    section: "appearance",
    get label() {
      return t("settings.theme");
    },
    get words() {
      return t("settings.darkLightColourColorModeNight");
    },
  },
  {
    id: "density",
    section: "appearance",
    get label() {
      return t("settings.density");
    },
    get words() {
      return t("settings.compactComfortableRowHeightSmall");
    },
  },
  {
    id: "reduced_motion",
    section: "appearance",
    get label() {
      return t("settings.motion");
    },
    get words() {
      return t("settings.animationReducedMovement");
    },
  },
  {
    id: "single_letter_keys",
    section: "keyboard",
    get label() {
      return t("settings.singleLetterKeys");
    },
    get words() {
      return t("settings.shortcutsHotkeys");
    },
  },
  {
    id: "keys",
    section: "keyboard",
    get label() {
      return t("settings.allShortcuts");
    },
    get words() {
      return t("settings.keysHotkeysPalette");
    },
  },
  {
    id: "rules",
    section: "privacy",
    get label() {
      return t("settings.privacyRules");
    },
    get words() {
      return t("settings.dropRedactRewriteHideTitlePassword");
    },
  },
  {
    id: "redactions",
    section: "privacy",
    get label() {
      return t("settings.changesToHistory");
    },
    get words() {
      return t("settings.undoFinalRedactionApply");
    },
  },
  {
    id: "goals",
    section: "goals",
    get label() {
      return t("common.goals");
    },
    get words() {
      return t("settings.targetLimitAlertStreak");
    },
  },
  {
    id: "projects",
    section: "projects",
    get label() {
      return t("common.projects");
    },
    get words() {
      return t("projects.clientCustomerRateBillableRules");
    },
  },
  {
    id: "recording",
    section: "devices",
    get label() {
      return t("common.recordThisComputer");
    },
    get words() {
      return t("settings.watcherWindowAwayStopOffOn");
    },
  },
  {
    id: "devices",
    section: "devices",
    get label() {
      return t("settings.devices");
    },
    get words() {
      return t("settings.renameComputerPhoneHostHostname");
    },
  },
  {
    id: "space",
    section: "data",
    get label() {
      return t("common.diskSpace");
    },
    get words() {
      return t("settings.sizeBytesStorageDatabaseCompact");
    },
  },
  {
    id: "backups",
    section: "data",
    get label() {
      return t("common.backups");
    },
    get words() {
      return t("settings.restoreSnapshotCopy");
    },
  },
  {
    id: "retention",
    section: "data",
    get label() {
      return t("common.retention");
    },
    get words() {
      return t("settings.deleteOldKeepDaysDownsample");
    },
  },
  {
    id: "health",
    section: "server",
    get label() {
      return t("common.health");
    },
    get words() {
      return t("settings.problemsStatusCheckDamage");
    },
  },
  {
    id: "address",
    section: "server",
    get label() {
      return t("common.address");
    },
    get words() {
      return t("settings.urlHostPortVersionStartedUptime");
    },
  },
  {
    id: "file",
    section: "server",
    get label() {
      return t("settings.settingsFile");
    },
    get words() {
      return t("settings.configTomlFlagsEnvironmentOrigins");
    },
  },
  {
    id: "log",
    section: "server",
    get label() {
      return t("settings.log");
    },
    get words() {
      return t("settings.messagesErrorsWarningsRecords");
    },
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
    const known = `${setting.label} ${setting.words} ${setting.section}`.toLowerCase().split(/[\s-]+/);
    return typed.every((word) => known.some((each) => each.startsWith(word)));
  });
}
