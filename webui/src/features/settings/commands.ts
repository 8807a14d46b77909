import { session } from "../../api/session.svelte";
import { SECTIONS } from "../../lib/settings/sections";
import { go } from "../../lib/url/location.svelte";
import type { CommandSource } from "../shell/commands";
import { save } from "./saving.svelte";

const THEMES = [
  { value: "auto", label: "Theme: system" },
  { value: "light", label: "Theme: light" },
  { value: "dark", label: "Theme: dark" },
] as const;

export const settingsCommands: CommandSource = () =>
  session.isFull
    ? [
        ...THEMES.map(({ value, label }) => ({ label, run: () => void save("theme", value, "Theme") })),
        ...SECTIONS.map(({ name, label }) => ({
          group: "Settings",
          label: `Settings: ${label}`,
          run: () => go(["settings", name]),
        })),
      ]
    : [];
