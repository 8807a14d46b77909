// The state of recording as the page shows it.
import type { RecordingView } from "../../api/schema";

export type Phase = "ready" | "starting" | "recording" | "quiet" | "failed" | "remote" | "impossible";

export const SESSIONS: Readonly<Record<NonNullable<RecordingView["session"]>, string>> = {
  x11: "X11",
  sway: "sway",
  wayland: "Wayland",
};

/** For screen readers, when the state changes. Not the active window, which changes all the time. */
export const ANNOUNCED: Readonly<Record<Phase, string>> = {
  ready: "",
  starting: "Starting the watcher",
  recording: "This computer is being recorded",
  quiet: "Another watcher is recording this computer",
  failed: "The watcher does not run",
  remote: "",
  impossible: "",
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

/** A message of the server as a sentence. */
export function sentence(text: string | null): string {
  const trimmed = text?.trim() ?? "";
  if (!trimmed) return "";
  const start = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?]$/.test(start) ? start : `${start}.`;
}
