import { date } from "./zone";

const DAY_MS = 86_400_000;

/** When something was recorded: "5 min ago" within a day, else the date. */
export function recordedAt(moment: string, now: number, zone: string): string {
  if (now - Date.parse(moment) >= DAY_MS) return date(moment, zone);
  const text = ago(moment, now);
  return text === "now" ? text : `${text} ago`;
}

/** A short relative time: "now", "12 s", "5 min", "4 h", "2 d". */
export function ago(moment: string | number, now: number): string {
  const seconds = Math.max(0, Math.round((now - new Date(moment).getTime()) / 1000));
  if (seconds < 1) return "now";
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
