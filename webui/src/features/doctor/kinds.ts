// The kinds of what can look wrong in the data.
import type { Finding, MendRequest } from "../../api/schema";

export type Kind = Finding["kind"];
export type MendableKind = MendRequest["kind"];

interface Words {
  readonly title: string;
  readonly what: string;
  readonly fix: string;
}

export const KINDS: Readonly<Record<Kind, Words>> = {
  duplicates: {
    title: "Duplicates",
    what: "Events of one bucket with the same start, duration and data.",
    fix: "The one that was stored first stays.",
  },
  overlaps: {
    title: "Overlaps",
    what: "Events of one bucket that share a second or more: that time is counted twice.",
    fix: "The earlier one ends where the next begins.",
  },
  negative: {
    title: "Negative durations",
    what: "Events that end before they begin.",
    fix: "They last no time.",
  },
  future: {
    title: "Events in the future",
    what: "Events more than a day from now.",
    fix: "They are removed.",
  },
  zero_length: {
    title: "Events of no length",
    what: "Events that the next one makes redundant.",
    fix: "They are removed.",
  },
  gaps: {
    title: "Gaps",
    what: "Times without an event while other watchers of the device recorded.",
    fix: "What was not recorded cannot be mended.",
  },
};

export interface KindGroup {
  readonly kind: Kind;
  readonly findings: readonly Finding[];
  readonly count: number;
  readonly seconds: number;
}

/** Findings by kind: what can be mended first, each kind with the largest first. */
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

/** How many things there are to mend: what cannot be mended is told, but is nothing to do. */
export function toMend(findings: readonly Finding[]): number {
  return findings.filter((finding) => finding.is_mendable).length;
}
