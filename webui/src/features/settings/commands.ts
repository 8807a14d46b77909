import { session } from "../../core/api/session.svelte";
import { t } from "../../core/i18n/translate.svelte";
import { SECTIONS } from "./sections";
import { go } from "../../core/url/location.svelte";
import type { CommandSource } from "../../core/commands";
import { save } from "./saving.svelte";

const THEMES = [
  {
    value: "auto",
    get label() {
      return t("settings.themeSystem");
    },
  },
  {
    value: "light",
    get label() {
      return t("settings.themeLight");
    },
  },
  {
    value: "dark",
    get label() {
      return t("settings.themeDark");
    },
  },
] as const;

export const settingsCommands: CommandSource = () =>
  session.isFull
    ? [
        ...THEMES.map(({ value, label }) => ({
          label,
          run: () => void save("theme", value, t("settings.theme")),
        })),
        ...SECTIONS.map(({ name, label }) => ({
          group: t("common.settings"),
          label: t("settings.settings", { label }),
          run: () => go(["settings", name]),
        })),
      ]
    : [];
