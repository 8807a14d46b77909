// Retention rules as they are typed.
import type { RetentionRule } from "../../api/schema";

export interface TypedRule {
  readonly key: number;
  bucket: string;
  days: string;
}

/** What is wrong with a rule, if anything. */
export function faultOf(rule: Pick<TypedRule, "bucket" | "days">): string | undefined {
  if (!rule.bucket.trim()) return "Name a bucket, or * for all";
  if (!/^\d{1,5}$/.test(rule.days.trim()) || Number(rule.days) < 1) return "Days are a whole number from 1";
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
