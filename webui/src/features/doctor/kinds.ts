// The kinds of findings.
import type { FixRequest } from "../buckets/data";
import type { Finding } from "../../core/api/schema";
import { t } from "../../core/i18n/translate.svelte";

export type Kind = Finding["kind"];
export type FixableKind = FixRequest["kind"];

interface Words {
  readonly title: string;
  readonly what: string;
  readonly fix: string;
}

export const KINDS: Readonly<Record<Kind, Words>> = {
  duplicates: {
    get title() {
      return t("doctor.duplicates");
    },
    get what() {
      return t("doctor.eventsInOneBucketWithTheSame");
    },
    get fix() {
      return t("doctor.keepsTheFirstOfThem");
    },
  },
  overlaps: {
    get title() {
      return t("doctor.overlaps");
    },
    get what() {
      return t("doctor.eventsInOneBucketThatOverlapBy");
    },
    get fix() {
      return t("doctor.endsTheEarlierEventWhereTheNext");
    },
  },
  negative: {
    get title() {
      return t("doctor.negativeDurations");
    },
    get what() {
      return t("doctor.eventsThatEndBeforeTheyStart");
    },
    get fix() {
      return t("doctor.setsTheirDurationTo0");
    },
  },
  future: {
    get title() {
      return t("doctor.eventsInTheFuture");
    },
    get what() {
      return t("doctor.eventsThatStartMoreThanADay");
    },
    get fix() {
      return t("doctor.removesThem");
    },
  },
  zero_length: {
    get title() {
      return t("doctor.emptyEvents");
    },
    get what() {
      return t("doctor.eventsWithoutADurationThatTheNext");
    },
    get fix() {
      return t("doctor.removesThem");
    },
  },
  gaps: {
    get title() {
      return t("common.gaps");
    },
    get what() {
      return t("doctor.timesWithoutEventsWhileOther");
    },
    get fix() {
      return t("doctor.missingRecordingsCannotBeRestored");
    },
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
