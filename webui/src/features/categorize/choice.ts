// What a rule can match. Pages load this at once, and the form when it opens.
import type { Condition } from "../categories/rules/rules";

/** Something that a rule can match. */
export interface Choice {
  readonly condition: Condition;
  readonly seconds?: number;
}

export function choiceOf(field: string, value: string, seconds?: number): Choice {
  return { condition: { field, op: "is", value, ignore_case: true }, seconds };
}

export function keyOf({ condition }: Choice): string {
  return `${condition.field}:${condition.op}:${condition.value}`;
}

export function distinct(choices: readonly Choice[]): Choice[] {
  return [...new Map(choices.map((choice) => [keyOf(choice), choice])).values()];
}
