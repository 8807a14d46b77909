// A matching rule as text.
import { fieldLabel } from "../../core/text/fields";
import { t, type Label } from "../../core/i18n/translate.svelte";

export interface Match {
  readonly category: readonly string[];
  readonly condition: number | null;
  readonly op: "ends" | "has" | "is" | "regex" | "starts" | "word";
  readonly pattern: string;
  readonly field: string;
  readonly lost_by: "annotation" | "order" | "priority" | "same category" | null;
}

const OPERATORS: Record<Match["op"], Label> = {
  is: () => t("common.is"),
  has: () => t("common.has"),
  word: () => t("common.hasTheWord"),
  starts: () => t("common.startsWith"),
  ends: () => t("common.endsWith"),
  regex: () => t("common.matches"),
};

/** "domain is docs.python.org" */
export function ruleText({ field, op, pattern }: Match): string {
  return `${fieldLabel(field)} ${OPERATORS[op]()} ${pattern}`;
}

/** Which rule of the category: conditions count from one; the classic rule has no number. */
export function ruleName({ condition }: Match): string {
  return condition === null ? t("why.itsPattern") : t("why.condition", { condition: condition + 1 });
}

const LOST: Record<NonNullable<Match["lost_by"]>, Label> = {
  priority: () => t("why.lessSpecific"),
  order: () => t("why.equallySpecificButEarlierInTheList"),
  "same category": () => t("why.inTheSameCategory"),
  annotation: () => t("why.overriddenByANote"),
};

export function lostText({ lost_by }: Match): string {
  return lost_by ? LOST[lost_by]() : "";
}
