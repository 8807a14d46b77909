// The kinds of findings.
import type { FixRequest } from "../buckets/data";
import type { Finding } from "../../core/api/schema";
import { t, type Label } from "../../core/i18n/translate.svelte";

export type Kind = Finding["kind"];
export type FixableKind = FixRequest["kind"];

interface Words {
  readonly title: Label;
  readonly what: Label;
  readonly fix: Label;
}

export const KINDS: Readonly<Record<Kind, Words>> = {
  duplicates: {
    title: () => t("doctor.duplicates"),
    what: () => t("doctor.eventsInOneBucketWithTheSame"),
    fix: () => t("doctor.keepsTheFirstOfThem"),
  },
  overlaps: {
    title: () => t("doctor.overlaps"),
    what: () => t("doctor.eventsInOneBucketThatOverlapBy"),
    fix: () => t("doctor.endsTheEarlierEventWhereTheNext"),
  },
  negative: {
    title: () => t("doctor.negativeDurations"),
    what: () => t("doctor.eventsThatEndBeforeTheyStart"),
    fix: () => t("doctor.setsTheirDurationTo0"),
  },
  future: {
    title: () => t("doctor.eventsInTheFuture"),
    what: () => t("doctor.eventsThatStartMoreThanADay"),
    fix: () => t("doctor.removesThem"),
  },
  zero_length: {
    title: () => t("doctor.emptyEvents"),
    what: () => t("doctor.eventsWithoutADurationThatTheNext"),
    fix: () => t("doctor.removesThem"),
  },
  gaps: {
    title: () => t("common.gaps"),
    what: () => t("doctor.timesWithoutEventsWhileOther"),
    fix: () => t("doctor.missingRecordingsCannotBeRestored"),
  },
};

export interface KindGroup {
  readonly kind: Kind;
  readonly findings: readonly Finding[];
  readonly count: number;
  readonly seconds: number;
}

/** Findings by kind: fixable kinds first, the largest finding first. */
export function byKind(findings: readonly Finding[]): KindGroup[] {
  const order = Object.keys(KINDS) as Kind[];
  return order
    .map((kind) => findings.filter((finding) => finding.kind === kind).sort((a, b) => b.count - a.count))
    .filter((own) => own.length > 0)
    .map((own) => ({
      kind: (own[0] as Finding).kind,
      findings: own,
      count: own.reduce((sum, finding) => sum + finding.count, 0),
      seconds: own.reduce((sum, finding) => sum + finding.seconds, 0),
    }));
}

/** How many findings can be fixed. */
export function fixableCount(findings: readonly Finding[]): number {
  return findings.filter((finding) => finding.is_mendable).length;
}
