// Categories as they are edited: an ordered list, each with a path and rules.
import { fieldLabel } from "../../../core/text/fields";
import { t, type Label } from "../../../core/i18n/translate.svelte";

export const OPERATORS = ["is", "has", "word", "starts", "ends", "regex"] as const;
export type Operator = (typeof OPERATORS)[number];

export const OPERATOR_WORDS: Record<Operator, Label> = {
  is: () => t("common.is"),
  has: () => t("common.has"),
  word: () => t("common.hasTheWord"),
  starts: () => t("common.startsWith"),
  ends: () => t("common.endsWith"),
  regex: () => t("common.matches"),
};

export const FIELDS = [
  "app",
  "title",
  "url",
  "domain",
  "path",
  "project",
  "file",
  "language",
  "any",
] as const;

export interface Condition {
  readonly field: string;
  readonly op: Operator;
  readonly value: string;
  readonly ignore_case: boolean;
}

export interface ClassicRule {
  readonly regex: string;
  readonly ignore_case: boolean;
  readonly select_keys: readonly string[] | null;
  readonly priority: number | null;
}

export interface Category {
  /** The server's id; null for a new category. */
  readonly id: number | null;
  readonly name: readonly string[];
  readonly rule: ClassicRule | null;
  readonly conditions: readonly Condition[];
  readonly priority: number | null;
  readonly color: string | null;
  readonly is_always_active: boolean;
  /** Data that other programs store with it. */
  readonly data: Readonly<Record<string, unknown>>;
}

export type Path = readonly string[];

export function newCategory(name: Path): Category {
  return {
    id: null,
    name,
    rule: null,
    conditions: [],
    priority: null,
    color: null,
    is_always_active: false,
    data: {},
  };
}

export function samePath(one: Path, other: Path): boolean {
  return one.length === other.length && one.every((name, place) => name === other[place]);
}

/** Whether a path equals another one or is below it. */
export function isUnder(path: Path, top: Path): boolean {
  return top.length <= path.length && top.every((name, place) => name === path[place]);
}

/** "domain is docs.python.org" */
export function conditionText(condition: Condition): string {
  const value = condition.op === "regex" ? `/${condition.value}/` : condition.value;
  return `${fieldLabel(condition.field)} ${OPERATOR_WORDS[condition.op]()} ${value}`;
}

/** A condition from the URL, as `field:op:value`; the value may have colons. */
export function parseCondition(text: string): Condition | undefined {
  const [field, opText, ...rest] = text.split(":");
  const op = OPERATORS.find((each) => each === opText);
  const value = rest.join(":");
  return field && op && value ? { field, op, value, ignore_case: true } : undefined;
}

export function formatCondition(condition: Pick<Condition, "field" | "op" | "value">): string {
  return `${condition.field}:${condition.op}:${condition.value}`;
}

export function sameCondition(one: Condition, other: Condition): boolean {
  return formatCondition(one) === formatCondition(other) && one.ignore_case === other.ignore_case;
}

export interface Prepared {
  readonly categories: readonly Category[];
  /** For each category, the indices of the sent conditions among those shown. */
  readonly places: readonly (readonly number[])[];
}

/** The list to send: without conditions that are still empty. */
export function prepared(list: readonly Category[]): Prepared {
  const places = list.map(({ conditions }) =>
    conditions.flatMap(({ field, value }, place) => (field.trim() && value ? [place] : [])),
  );
  const categories = list.map((category, place) => ({
    ...category,
    conditions: category.conditions.filter((_, each) => places[place]?.includes(each)),
    rule: category.rule?.regex ? category.rule : null,
  }));
  return { categories, places };
}

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

export interface Fault {
  readonly category: number;
  /** Index of the condition as shown; null for the classic rule or the category itself. */
  readonly condition: number | null;
}

/** The position of an error that the server reports: `categories[1].conditions[0].value`. */
export function faultPlace(field: string | undefined, { places }: Prepared): Fault | undefined {
  const found = /^categories\[(\d+)\](?:\.conditions\[(\d+)\])?/.exec(field ?? "");
  if (!found) return undefined;
  const category = Number(found[1]);
  const condition = found[2] === undefined ? null : (places[category]?.[Number(found[2])] ?? null);
  return { category, condition };
}
