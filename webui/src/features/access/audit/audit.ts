// Lines of the audit log as text.
import { germanNames } from "../../../core/i18n/names.svelte";
import { t, type Label } from "../../../core/i18n/translate.svelte";

const germanName = germanNames(() => import("./calls.de.json"));

interface Line {
  readonly who: string;
  readonly key_id: string;
  readonly key_name: string;
  readonly status: number;
}

const READS = /^(get|list|read|run|explain|preview|check|suggest|count)_|^search$/;

/** Whether this is a successful read by a browser or by a caller that needs no key, as every open page makes them. */
export function isPageRead(line: { who: string; call: string; status: number }): boolean {
  const [kind = ""] = line.who.split(" ");
  return line.status < 400 && ["open", "session"].includes(kind) && READS.test(line.call);
}

/** Whether the call was denied. */
export function isRefused({ status }: { status: number }): boolean {
  return status === 401 || status === 403 || status === 429;
}

const WHO: Record<string, Label> = {
  open: () => t("access.noKeyNeeded"),
  local: () => t("access.aCommandOnThisComputer"),
  session: () => t("access.theOwnerInABrowser"),
  extension: () => t("access.aBrowserExtension"),
  nobody: () => t("access.aCallerWithoutAKey"),
};

export function whoText(line: Line): string {
  const [kind = "", ...rest] = line.who.split(" ");
  const origin = rest.find((part) => part.includes("://"));
  const who = line.key_name || line.key_id || WHO[kind]?.() || line.who || t("access.unknownCaller");
  return origin ? `${who} (${origin})` : who;
}

/** "send_heartbeat" as "Send heartbeat"; a deletion also names what it deleted: "delete_event 12". */
export function callText(call: string): string {
  const [name = "", ...deleted] = call.split(" ");
  const words = name.replaceAll("_", " ").replace(/^-$/, "");
  const text = germanName(name) ?? words.charAt(0).toUpperCase() + words.slice(1);
  return [text || t("access.unknownCall"), ...deleted].join(" ");
}

export const SINCE = [
  { value: "hour", label: () => t("access.lastHour"), ms: 3_600_000 },
  { value: "day", label: () => t("access.last24Hours"), ms: 86_400_000 },
  { value: "week", label: () => t("common.last7Days"), ms: 7 * 86_400_000 },
  { value: "month", label: () => t("common.last30Days"), ms: 30 * 86_400_000 },
] as const;

/** The start of the period, at a full minute so that the response can be cached. */
export function sinceMoment(value: string, now: number): string | undefined {
  const found = SINCE.find((each) => each.value === value);
  return found && new Date(Math.floor((now - found.ms) / 60_000) * 60_000).toISOString();
}
