import { t } from "../i18n/translate.svelte";
import { formatDecimal, formatNumber } from "../i18n/format";
export type DurationStyle = "hours" | "clock" | "decimal";

/** A duration that cannot be mistaken for a time of day: "3h 10m", "24m 10s", "45s". */
export function duration(seconds: number, style: DurationStyle = "hours"): string {
  const sign = seconds < 0 ? "−" : "";
  const whole = Math.abs(seconds);
  if (style === "decimal") return `${sign}${formatDecimal(whole / 3600, 2)} h`;
  if (style === "clock") return sign + clock(whole);
  const rounded = Math.round(whole);
  if (rounded < 60) return `${sign}${whole > 0 && rounded === 0 ? "<1" : rounded}s`;
  if (rounded < 600) return `${sign}${Math.floor(rounded / 60)}m ${pad(rounded % 60)}s`;
  const minutes = Math.round(whole / 60);
  if (minutes < 60) return `${sign}${minutes}m`;
  return `${sign}${formatNumber(Math.floor(minutes / 60))}h ${pad(minutes % 60)}m`;
}

/** The same with seconds, for a running timer: "1h 02m 09s". */
export function runningDuration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  if (hours > 0) return `${hours}h ${pad(minutes)}m ${pad(rest)}s`;
  return minutes > 0 ? `${minutes}m ${pad(rest)}s` : `${rest}s`;
}

/** Whether a difference is too small to be one. */
export function isAboutZero(seconds: number): boolean {
  return Math.abs(seconds) < 60;
}

/** For screen readers, the same number as `duration` shows: "3 hours 10 minutes". */
export function spokenDuration(seconds: number, style: DurationStyle = "hours"): string {
  if (style === "decimal") {
    const text = t("time.decimalHours", { hours: formatDecimal(Math.abs(seconds) / 3600, 2) });
    return seconds < 0 ? t("time.minus", { duration: text }) : text;
  }
  const exact = Math.round(Math.abs(seconds));
  const whole = style === "hours" && exact < 600 ? exact : Math.round(Math.abs(seconds) / 60) * 60;
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  const rest = whole % 60;
  const parts = [
    hours > 0 ? t("time.hours", { count: hours }) : "",
    minutes > 0 ? t("time.minutes", { count: minutes }) : "",
    rest > 0 || (whole === 0 && style === "hours") ? t("time.seconds", { count: rest }) : "",
    whole === 0 && style === "clock" ? t("time.minutes", { count: 0 }) : "",
  ];
  const text = parts.filter(Boolean).join(" ");
  return seconds < 0 ? t("time.minus", { duration: text }) : text;
}

function clock(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)}:${pad(minutes % 60)}`;
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
