// Operations in the trash as text.
import type { TrashItem } from "../../core/api/schema";
import { t } from "../../core/i18n/translate.svelte";

type Kind = TrashItem["kind"];

const WORDS: Readonly<Record<Kind, (item: TrashItem) => string>> = {
  delete_bucket: (item) =>
    t("trash.bucketDeleted", { amount: t("common.eventCount", { count: item.events }) }),
  delete_buckets: (item) =>
    t("trash.demoDataRemoved", { amount: t("common.eventCount", { count: item.events }) }),
  delete_events: (item) => t("trash.deleted", { amount: t("common.eventCount", { count: item.events }) }),
  insert_events: (item) => t("trash.added", { amount: t("common.eventCount", { count: item.events }) }),
  mend_events: (item) => t("trash.fixed", { amount: t("common.eventCount", { count: item.events }) }),
  merge_buckets: (item) =>
    t("trash.mergedInto", { other: item.other, amount: t("common.eventCount", { count: item.events }) }),
  redaction: (item) =>
    t("trash.privacyRulesAppliedTo", { amount: t("common.eventCount", { count: item.events }) }),
  rehost_bucket: (item) =>
    item.other && item.other !== item.bucket
      ? t("trash.movedToAnotherDeviceAs", { other: item.other })
      : t("trash.movedToAnotherDevice"),
  remove_alias: (item) =>
    item.other ? t("trash.aliasOfRemoved", { other: item.other }) : t("trash.aliasRemoved"),
  rename_bucket: (item) => t("trash.renamedTo", { other: item.other }),
  replace_events: (item) => t("trash.changed", { amount: t("common.eventCount", { count: item.events }) }),
  split_event: () => t("common.eventSplit"),
  thin_bucket: (item) => t("trash.downsampled", { amount: t("trash.oldEvents", { count: item.events }) }),
  update_bucket: () => t("trash.detailsChanged"),
};

export function actText(item: TrashItem): string {
  return (WORDS[item.kind] as (typeof WORDS)[Kind] | undefined)?.(item) ?? item.kind.replaceAll("_", " ");
}

/** How much of an unfinished operation is done, from 0 to 1; undefined if the total is unknown. */
export function shareOf({ done, of }: NonNullable<TrashItem["progress"]>): number | undefined {
  return of ? done / of : undefined;
}

/** What the user types to delete it permanently. */
export function wordOf(item: TrashItem): string {
  return item.bucket || t("trash.remove");
}

/** "29 days", "3 hours": how long the trash keeps it. */
export function timeLeft(until: string, now: number): string {
  const hours = (Date.parse(until) - now) / 3_600_000;
  if (hours < 1) return t("trash.lessThanAnHour");
  return hours < 48
    ? t("common.hourCount", { count: Math.floor(hours) })
    : t("common.dayCount", { count: Math.round(hours / 24) });
}
