// Privacy rules as text.
import { fieldLabel } from "../../../core/text/fields";
import { t, type Label } from "../../../core/i18n/translate.svelte";

export const ACTIONS = ["redact", "rewrite", "drop"] as const;
export type Action = (typeof ACTIONS)[number];

export const ACTION_LABELS: Record<Action, Label> = {
  redact: () => t("settings.redact"),
  rewrite: () => t("settings.rewrite"),
  drop: () => t("settings.drop"),
};

export const ACTION_MEANINGS: Record<Action, Label> = {
  redact: () => t("settings.replacesTheWholeText"),
  rewrite: () => t("settings.replacesOnlyWhatMatches1IsThe"),
  drop: () => t("settings.doesNotRecordTheEvent"),
};

interface Rule {
  readonly action: Action;
  readonly field: string;
  readonly pattern: string;
  readonly buckets: readonly string[];
  readonly replacement: string;
}

/** "if title matches (?i)bank, in aw-*" */
export function ruleText(rule: Rule): string {
  const where = fieldLabel(rule.field);
  const { pattern, buckets } = rule;
  return buckets.length > 0
    ? t("settings.ifMatchesInBuckets", { where, pattern, buckets: buckets.join(", ") })
    : t("settings.ifMatches", { where, pattern });
}

/** The fields of data that differ, before and after; `after` is undefined if the event is dropped. */
export function changedFields(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>> | null,
): { field: string; before: string; after: string | undefined }[] {
  const text = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
  return Object.entries(before)
    .filter(([field, value]) => after === null || text(after[field]) !== text(value))
    .map(([field, value]) => ({
      field,
      before: text(value),
      after: after === null ? undefined : text(after[field]),
    }));
}

/** The list with one rule replaced, appended or removed. */
export function withRule<T>(rules: readonly T[], place: number | undefined, rule: T | undefined): T[] {
  if (place === undefined) return rule === undefined ? [...rules] : [...rules, rule];
  return rules.flatMap((each, at) => (at === place ? (rule === undefined ? [] : [rule]) : [each]));
}
