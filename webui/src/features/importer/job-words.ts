// Jobs and their results as text.
import type { ImportSurvey, JobView } from "../../api/schema";
import { count, counted } from "../../lib/text/amount";

const KINDS: Readonly<Record<string, string>> = {
  import: "Import",
  migration: "Migration from ActivityWatch",
  migrate: "Migration from ActivityWatch",
  demo: "Demo data",
};

export function jobName(job: Pick<JobView, "kind">): string {
  return KINDS[job.kind] ?? job.kind;
}

/** "240,000 of 338,000 events"; without a total only what is done. */
export function progressText({ done, total }: JobView["progress"]): string {
  return total === null
    ? done > 0
      ? counted(done, "event")
      : "Reading the file"
    : `${count(done)} of ${counted(total, "event")}`;
}

export function resultText(job: JobView): string {
  const { result, error } = job;
  if (result && "imported" in result) {
    const parts = [
      `${count(result.imported)} new`,
      `${count(result.skipped)} existing`,
      ...(result.invalid ? [`${count(result.invalid)} invalid`] : []),
      ...(result.dropped ? [`${count(result.dropped)} dropped by privacy rules`] : []),
    ];
    return parts.join(" · ");
  }
  return error?.message ?? "";
}

export interface SurveySums {
  readonly new: number;
  readonly known: number;
  readonly invalid: number;
  readonly dropped: number;
  readonly conflicts: number;
}

export function sumsOf(survey: ImportSurvey): SurveySums {
  const sum = (of: (bucket: ImportSurvey["buckets"][number]) => number) =>
    survey.buckets.reduce((total, bucket) => total + of(bucket), 0);
  return {
    new: sum((bucket) => bucket.new),
    known: sum((bucket) => bucket.known),
    invalid: sum((bucket) => bucket.invalid),
    dropped: sum((bucket) => bucket.dropped),
    conflicts: sum((bucket) => (bucket.conflicts.length > 0 ? 1 : 0)),
  };
}
