// Jobs and their results as text.
import type { ImportSurvey, JobView } from "../../core/api/schema";
import { t, type Label } from "../../core/i18n/translate.svelte";
import { count } from "../../core/text/amount";

const KINDS: Readonly<Record<string, Label>> = {
  import: () => t("common.import"),
  migration: () => t("importer.migrationFromActivitywatch"),
  migrate: () => t("importer.migrationFromActivitywatch"),
  demo: () => t("importer.demoData"),
};

export function jobName(job: Pick<JobView, "kind">): string {
  return KINDS[job.kind]?.() ?? job.kind;
}

/** "240,000 of 338,000 events"; without a total only what is done. */
export function progressText({ done, total }: JobView["progress"]): string {
  return total === null
    ? done > 0
      ? t("common.eventCount", { count: done })
      : t("importer.readingTheFile")
    : t("importer.of", { done: count(done), amount: t("common.eventCount", { count: total }) });
}

export function resultText(job: JobView): string {
  const { result, error } = job;
  if (result && "imported" in result) {
    const parts = [
      t("importer.newCount", { imported: count(result.imported) }),
      t("importer.existingCount", { skipped: count(result.skipped) }),
      ...(result.invalid ? [t("importer.invalidCount", { invalid: count(result.invalid) })] : []),
      ...(result.dropped ? [t("importer.droppedByPrivacyRules", { dropped: count(result.dropped) })] : []),
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
