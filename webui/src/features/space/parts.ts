// What uses disk space.
import type { Space } from "../../core/api/schema";
import { t } from "../../core/i18n/translate.svelte";

export interface Part {
  readonly name: string;
  readonly what: string;
  readonly bytes: number;
  /** Compaction reclaims it. */
  readonly isFree?: boolean;
}

/** Everything that uses disk space, largest first; the parts add up to the total. */
export function partsOf(space: Space): Part[] {
  const { parts } = space.database;
  const all: Part[] = [
    { name: t("common.events"), what: t("space.timesDurationsAndTheirIndex"), bytes: parts.events },
    {
      name: t("space.distinctValues"),
      what: t("space.titlesUrlsAndOtherTextsStoredOnce"),
      bytes: parts.values,
    },
    { name: t("common.trash"), what: t("space.forUndo"), bytes: parts.trash },
    { name: t("space.redactions"), what: t("space.forUndoingPrivacyRules"), bytes: parts.redactions },
    { name: t("common.auditLog"), what: t("space.apiCalls"), bytes: parts.audit },
    { name: t("common.other"), what: t("space.keysSettingsMonthlyStatistics"), bytes: parts.other },
    {
      name: t("space.unusedValues"),
      what: t("space.removedByCompaction"),
      bytes: parts.unused,
      isFree: true,
    },
    { name: t("space.freePages"), what: t("space.reclaimedByCompaction"), bytes: parts.free, isFree: true },
    { name: t("common.writeAheadLog"), what: t("space.notYetMovedIntoTheDatabaseFile"), bytes: space.log },
    { name: t("space.segments"), what: t("space.derivedDataRebuiltIfMissing"), bytes: space.segments },
    { name: t("common.backups"), what: t("space.inTheirOwnFolder"), bytes: space.backups },
  ];
  return all.filter((part) => part.bytes > 0).sort((a, b) => b.bytes - a.bytes);
}

export function freeBytes(space: Space): number {
  return space.database.parts.unused + space.database.parts.free;
}
