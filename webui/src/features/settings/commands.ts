import { session } from "../../core/api/session.svelte";
import { t } from "../../core/i18n/translate.svelte";
import { SECTIONS } from "./sections";
import { go } from "../../core/url/location.svelte";
import type { CommandSource } from "../../core/commands";
import { save } from "./saving.svelte";

const themes = () =>
  [
    { value: "auto", label: t("settings.themeSystem") },
    { value: "light", label: t("settings.themeLight") },
    { value: "dark", label: t("settings.themeDark") },
  ] as const;

export const settingsCommands: CommandSource = () =>
  session.isFull
    ? [
        ...themes().map(({ value, label }) => ({
          label,
          run: () => void save("theme", value, t("settings.theme")),
        })),
        ...SECTIONS.map(({ name, label: section }) => ({
          group: t("common.settings"),
          label: t("settings.settings", { label: section() }),
          run: () => go(["settings", name]),
        })),
      ]
    : [];
