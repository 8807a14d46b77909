// Operations in the trash as text.
import type { TrashItem } from "../../api/schema";
import { counted } from "../../lib/text/amount";

type Kind = TrashItem["kind"];

const WORDS: Readonly<Record<Kind, (item: TrashItem) => string>> = {
  delete_bucket: (item) => `Bucket deleted (${counted(item.events, "event")})`,
  delete_buckets: (item) => `Demo data removed (${counted(item.events, "event")})`,
  delete_events: (item) => `${counted(item.events, "event")} deleted`,
  insert_events: (item) => `${counted(item.events, "event")} added`,
  mend_events: (item) => `${counted(item.events, "event")} fixed`,
  merge_buckets: (item) => `Merged into ${item.other} (${counted(item.events, "event")})`,
  redaction: (item) => `Privacy rules applied to ${counted(item.events, "event")}`,
  rehost_bucket: (item) =>
    item.other && item.other !== item.bucket
      ? `Moved to another device as ${item.other}`
      : "Moved to another device",
  remove_alias: (item) => (item.other ? `Alias of ${item.other} removed` : "Alias removed"),
  rename_bucket: (item) => `Renamed to ${item.other}`,
  replace_events: (item) => `${counted(item.events, "event")} changed`,
  split_event: () => "Event split",
  thin_bucket: (item) => `${counted(item.events, "old event")} downsampled`,
  update_bucket: () => "Details changed",
};

export function actText(item: TrashItem): string {
  return (WORDS[item.kind] as (typeof WORDS)[Kind] | undefined)?.(item) ?? item.kind.replaceAll("_", " ");
}

/** What the user types to delete it permanently. */
export function wordOf(item: TrashItem): string {
  return item.bucket || "remove";
}

/** "29 days", "3 hours": how long the trash keeps it. */
export function timeLeft(until: string, now: number): string {
  const hours = (Date.parse(until) - now) / 3_600_000;
  if (hours < 1) return "less than an hour";
  return hours < 48 ? counted(Math.floor(hours), "hour") : counted(Math.round(hours / 24), "day");
}
