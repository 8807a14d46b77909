// The user's preferences. A copy of what the first paint needs is in local storage, so that nothing flashes.
import { setLanguage } from "../i18n/translate.svelte";
import { now } from "../time/clock";
import type { IsoDate } from "../time/period";
import { browserZone, dayOf } from "../time/zone";
import { api, body } from "./client";
import type { Preferences } from "./schema";

const DEFAULTS: Preferences = {
  time_zone: null,
  day_start: "04:00",
  week_start: "monday",
  language: null,
  duration_style: "hours",
  theme: "auto",
  density: "comfortable",
  reduced_motion: null,
  single_letter_keys: true,
};

let value = $state.raw<Preferences>(DEFAULTS);

export const preferences = {
  get value(): Preferences {
    return value;
  },
  /** The time zone for display: the chosen one, or the browser's. */
  get zone(): string {
    return value.time_zone ?? browserZone();
  },
};

/** The current day. Before the configured start of the day it is still yesterday. */
export function today(): IsoDate {
  return dayOf(now(), preferences.zone, value.day_start);
}

export async function loadPreferences(): Promise<void> {
  await take(await body(api.GET("/api/1/settings")));
}

export async function changePreferences(changes: Partial<Preferences>): Promise<void> {
  await take(await body(api.PATCH("/api/1/settings", { body: changes })));
}

async function take(next: Preferences): Promise<void> {
  // The page stays in its language if the texts of another one cannot be loaded.
  await setLanguage(next.language).catch(() => undefined);
  value = next;
  const root = document.documentElement.dataset;
  if (next.theme === "auto") delete root.theme;
  else root.theme = next.theme;
  if (next.density === "compact") root.density = "compact";
  else delete root.density;
  if (next.reduced_motion) root.motion = "reduced";
  else delete root.motion;
  keep("dayline.theme", next.theme);
  keep("dayline.density", next.density);
  keep("dayline.language", next.language ?? "");
}

/** The language of the last visit, for texts before the preferences are loaded; null is the browser's. */
export function keptLanguage(): string | null {
  try {
    return localStorage.getItem("dayline.language") || null;
  } catch {
    return null;
  }
}

function keep(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // Without local storage the page asks the server each time.
  }
}
