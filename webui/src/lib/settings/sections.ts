// The sections of the settings, and a search by keywords.
export const SECTIONS = [
  { name: "general", label: "General" },
  { name: "appearance", label: "Appearance" },
  { name: "keyboard", label: "Keyboard" },
  { name: "privacy", label: "Privacy rules" },
  { name: "goals", label: "Goals" },
  { name: "devices", label: "Devices" },
  { name: "data", label: "Data" },
  { name: "server", label: "Server" },
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
  { id: "time_zone", section: "general", label: "Time zone", words: "clock local utc daylight saving dst" },
  { id: "day_start", section: "general", label: "Day starts at", words: "midnight morning night hour" },
  { id: "week_start", section: "general", label: "Week starts on", words: "monday sunday saturday" },
  {
    id: "duration_style",
    section: "general",
    label: "Durations",
    words: "hours minutes decimal format time",
  },
  { id: "theme", section: "appearance", label: "Theme", words: "dark light colour color mode night system" },
  { id: "density", section: "appearance", label: "Density", words: "compact comfortable row height small" },
  { id: "reduced_motion", section: "appearance", label: "Motion", words: "animation reduced movement" },
  { id: "single_letter_keys", section: "keyboard", label: "Single-letter keys", words: "shortcuts hotkeys" },
  { id: "keys", section: "keyboard", label: "All shortcuts", words: "keys hotkeys palette" },
  {
    id: "rules",
    section: "privacy",
    label: "Privacy rules",
    words: "drop redact rewrite hide title password bank",
  },
  {
    id: "redactions",
    section: "privacy",
    label: "Changes to history",
    words: "undo final redaction apply",
  },
  { id: "goals", section: "goals", label: "Goals", words: "target limit alert streak" },
  {
    id: "recording",
    section: "devices",
    label: "Record this computer",
    words: "watcher window away stop off on",
  },
  { id: "devices", section: "devices", label: "Devices", words: "rename computer phone host hostname merge" },
  { id: "space", section: "data", label: "Disk space", words: "size bytes storage database compact" },
  { id: "backups", section: "data", label: "Backups", words: "restore snapshot copy" },
  { id: "retention", section: "data", label: "Retention", words: "delete old keep days downsample" },
  { id: "health", section: "server", label: "Health", words: "problems status check damage" },
  { id: "address", section: "server", label: "Address", words: "url host port version started uptime" },
  {
    id: "file",
    section: "server",
    label: "Settings file",
    words: "config toml flags environment origins hosts",
  },
  { id: "log", section: "server", label: "Log", words: "messages errors warnings records" },
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
