// A matching rule as text.
import { fieldLabel } from "../../core/text/fields";
import { t } from "../../core/i18n/translate.svelte";

export interface Match {
  readonly category: readonly string[];
  readonly condition: number | null;
  readonly op: "ends" | "has" | "is" | "regex" | "starts" | "word";
  readonly pattern: string;
  readonly field: string;
  readonly lost_by: "annotation" | "order" | "priority" | "same category" | null;
}

const OPERATORS: Record<Match["op"], string> = {
  get is() {
    return t("common.is");
  },
  get has() {
    return t("common.has");
  },
  get word() {
    return t("common.hasTheWord");
  },
  get starts() {
    return t("common.startsWith");
  },
  get ends() {
    return t("common.endsWith");
  },
  get regex() {
    return t("common.matches");
  },
};

/** "domain is docs.python.org" */
export function ruleText({ field, op, pattern }: Match): string {
  return `${fieldLabel(field)} ${OPERATORS[op]} ${pattern}`;
}

/** Which rule of the category: conditions count from one; the classic rule has no number. */
export function ruleName({ condition }: Match): string {
  return condition === null ? t("why.itsPattern") : t("why.condition", { condition: condition + 1 });
}

const LOST: Record<NonNullable<Match["lost_by"]>, string> = {
  get priority() {
    return t("why.lessSpecific");
  },
  get order() {
    return t("why.equallySpecificButEarlierInTheList");
  },
  get "same category"() {
    return t("why.inTheSameCategory");
  },
  get annotation() {
    return t("why.overriddenByANote");
  },
};

export function lostText({ lost_by }: Match): string {
  return lost_by ? LOST[lost_by] : "";
}
