// The state of recording as the page shows it.
import type { RecordingView } from "../../../core/api/schema";
import { t, type Label } from "../../../core/i18n/translate.svelte";
import { timeOfDay } from "../../../core/time/zone";

export type Phase = "ready" | "starting" | "recording" | "quiet" | "failed" | "remote" | "impossible";

export const SESSIONS: Readonly<Record<NonNullable<RecordingView["session"]>, string>> = {
  x11: "X11",
  sway: "sway",
  wayland: "Wayland",
  kwin: "KDE Plasma",
  gnome: "GNOME",
};

/** For screen readers, when the state changes. Not the active window, which changes all the time. */
export const ANNOUNCED: Readonly<Record<Phase, Label>> = {
  ready: () => "",
  starting: () => t("welcome.announceStarting"),
  recording: () => t("welcome.announceRecording"),
  quiet: () => t("welcome.announceQuiet"),
  failed: () => t("welcome.announceFailed"),
  remote: () => "",
  impossible: () => "",
};

/** What to show. A page that is open on another computer explains how to record that one. */
export function phaseOf(
  view: Pick<RecordingView, "enabled" | "state" | "can_record" | "is_local" | "message">,
): Phase {
  switch (view.state) {
    case "recording":
    case "quiet":
    case "failed":
      return view.state;
    case "starting":
    case "checking":
      return "starting";
    case "off":
      if (!view.is_local) return "remote";
      return view.can_record ? "ready" : "impossible";
  }
}

/** "Recording since 09:12", in a time zone. */
export function recordingSince({ since }: Pick<RecordingView, "since">, zone: string): string {
  return since === null
    ? t("welcome.recording")
    : t("welcome.recordingSince", { time: timeOfDay(since, zone) });
}

/** A message of the server as a sentence. */
export function sentence(text: string | null): string {
  const trimmed = text?.trim() ?? "";
  if (!trimmed) return "";
  const start = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?]$/.test(start) ? start : `${start}.`;
}
