import { t } from "../i18n/translate.svelte";
import { date } from "./zone";

const DAY_MS = 86_400_000;

/** When something was recorded: "5 min ago" within a day, else the date. */
export function recordedAt(moment: string, now: number, zone: string): string {
  return now - Date.parse(moment) >= DAY_MS ? date(moment, zone) : agoText(moment, now);
}

/** "now", "5 min ago". */
export function agoText(moment: string | number, now: number): string {
  return secondsSince(moment, now) < 1 ? t("time.now") : t("time.ago", { time: ago(moment, now) });
}

/** A short relative time: "now", "12 s", "5 min", "4 h", "2 d". */
export function ago(moment: string | number, now: number): string {
  const seconds = secondsSince(moment, now);
  if (seconds < 1) return t("time.now");
  if (seconds < 60) return t("time.agoSeconds", { value: seconds });
  if (seconds < 3600) return t("time.agoMinutes", { value: Math.floor(seconds / 60) });
  if (seconds < 86_400) return t("time.agoHours", { value: Math.floor(seconds / 3600) });
  return t("time.agoDays", { value: Math.floor(seconds / 86_400) });
}

function secondsSince(moment: string | number, now: number): number {
  return Math.max(0, Math.round((now - new Date(moment).getTime()) / 1000));
}
