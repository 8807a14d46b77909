// The kinds of findings.
import type { FixRequest } from "../../api/buckets";
import type { Finding } from "../../api/schema";

export type Kind = Finding["kind"];
export type FixableKind = FixRequest["kind"];

interface Words {
  readonly title: string;
  readonly what: string;
  readonly fix: string;
}

export const KINDS: Readonly<Record<Kind, Words>> = {
  duplicates: {
    title: "Duplicates",
    what: "Events in one bucket with the same start, duration and data.",
    fix: "Keeps the first of them.",
  },
  overlaps: {
    title: "Overlaps",
    what: "Events in one bucket that overlap by a second or more, so that the time counts twice.",
    fix: "Ends the earlier event where the next one starts.",
  },
  negative: {
    title: "Negative durations",
    what: "Events that end before they start.",
    fix: "Sets their duration to 0.",
  },
  future: {
    title: "Events in the future",
    what: "Events that start more than a day from now.",
    fix: "Removes them.",
  },
  zero_length: {
    title: "Empty events",
    what: "Events without a duration that the next event makes redundant.",
    fix: "Removes them.",
  },
  gaps: {
    title: "Gaps",
    what: "Times without events while other watchers of the device were recording.",
    fix: "Missing recordings cannot be restored.",
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
