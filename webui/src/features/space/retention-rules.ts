// Retention rules in the form.
import type { RetentionRule } from "../../core/api/schema";
import { t } from "../../core/i18n/translate.svelte";

export interface TypedRule {
  readonly key: number;
  bucket: string;
  days: string;
}

/** What is wrong with a rule, if anything. */
export function faultOf(rule: Pick<TypedRule, "bucket" | "days">): string | undefined {
  if (!rule.bucket.trim()) return t("space.enterABucketOrForAll");
  if (!/^\d{1,5}$/.test(rule.days.trim()) || Number(rule.days) < 1)
    return t("space.enterAWholeNumberOfDaysAt");
  return undefined;
}

export function rulesOf(typed: readonly TypedRule[]): RetentionRule[] {
  return typed.map((rule) => ({ bucket: rule.bucket.trim(), days: Number(rule.days) }));
}

export function isSame(a: readonly RetentionRule[], b: readonly RetentionRule[]): boolean {
  return (
    a.length === b.length &&
    a.every((rule, place) => rule.bucket === b[place]?.bucket && rule.days === b[place]?.days)
  );
}
