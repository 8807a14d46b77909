// The syntax of the search field as far as the page needs it: the positions of its parts, and completion.
// The server interprets the query.
import { t } from "../../core/i18n/translate.svelte";

export const OPERATORS = [
  { text: "domain:", what: () => t("search.domainContains") },
  { text: "app:", what: () => t("search.appContains") },
  { text: "title:", what: () => t("search.titleContains") },
  { text: "url:", what: () => t("search.urlContains") },
  { text: "category:", what: () => t("search.categoryIncludingEverythingBelowIt") },
  { text: "after:", what: () => t("search.fromADate20262026032026") },
  { text: "before:", what: () => t("search.beforeADate") },
  { text: "on:", what: () => t("search.onADayMonthOrYear") },
  { text: "dur>", what: () => t("search.longerThan90s2m1h30m") },
  { text: "dur<", what: () => t("search.shorterThan") },
  { text: "device:", what: () => t("search.recordedOnADevice") },
  { text: "type:", what: () => t("search.bucketType") },
  { text: "bucket:", what: () => t("search.bucket") },
  { text: '"', what: () => t("search.exactPhrase") },
  { text: "-", what: () => t("search.excludeWordDomain") },
] as const;

export interface Term {
  /** As written, with minus, operator and quotes. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly isNegative: boolean;
  /** "domain", "dur>=" …; undefined for words. */
  readonly operator: string | undefined;
  /** Without quotes. */
  readonly value: string;
}

const TERM =
  /(-)?(?:(app|title|url|domain|bucket|device|type|category|after|before|on):|(dur[<>]=?))?("(?:[^"]*)"?|\S*)/iy;

/** The parts of a query, in order. */
export function parseSearch(query: string): Term[] {
  const terms: Term[] = [];
  for (let place = 0; place < query.length;) {
    if (/\s/.test(query[place] ?? "")) {
      place += 1;
      continue;
    }
    TERM.lastIndex = place;
    const found = TERM.exec(query);
    const text = found?.[0] || (query[place] as string);
    const operator = (found?.[2] ?? found?.[3])?.toLowerCase();
    terms.push({
      text,
      start: place,
      end: place + text.length,
      isNegative: found?.[1] === "-",
      operator,
      value: (found?.[4] ?? "").replace(/^"|"$/g, ""),
    });
    place += text.length;
  }
  return terms;
}

/** The query without one of its parts. */
export function withoutTerm(query: string, term: Term): string {
  return `${query.slice(0, term.start).trimEnd()} ${query.slice(term.end).trimStart()}`.trim();
}

/** A value, quoted if necessary. */
export function quoted(value: string): string {
  return /[\s"]/.test(value) ? `"${value.replaceAll('"', " ").trim()}"` : value;
}

/** The query with a part appended, or without it if it is there. */
export function toggleTerm(query: string, text: string): string {
  const found = parseSearch(query).find((term) => term.text.toLowerCase() === text.toLowerCase());
  return found ? withoutTerm(query, found) : `${query.trim()} ${text}`.trim();
}

export function hasTerm(query: string, text: string): boolean {
  return parseSearch(query).some((term) => term.text.toLowerCase() === text.toLowerCase());
}

export interface Completion {
  /** The text to insert. */
  readonly text: string;
  readonly what: string;
  /** The range of the query that it replaces. */
  readonly start: number;
  readonly end: number;
}

/** Known values of operators: `device` → laptop, phone. */
export type Known = Readonly<Record<string, readonly string[]>>;

const TIMES = ["today", "yesterday"];
const DURATIONS = ["1m", "5m", "30m", "1h"];

/** Completions at the caret: operators, and after an operator its values. */
export function completions(query: string, caret: number, known: Known, most = 12): Completion[] {
  const term = parseSearch(query).find(({ start, end }) => start < caret && caret <= end);
  const [start, end] = term ? [term.start, term.end] : [caret, caret];
  const typed = query.slice(start, caret);
  const minus = typed.startsWith("-") ? "-" : "";
  const bare = typed.slice(minus.length).toLowerCase();
  const operator = term?.operator;
  if (operator && bare.length >= operatorText(operator).length) {
    const written = bare.slice(operatorText(operator).length).replace(/^"/, "");
    return valuesOf(operator, known)
      .filter((value) => value.toLowerCase().includes(written) && value.toLowerCase() !== written)
      .slice(0, most)
      .map((value) => ({
        text: `${minus}${operatorText(operator)}${quoted(value)} `,
        what: operator,
        start,
        end,
      }));
  }
  return OPERATORS.filter(
    ({ text }) =>
      text.startsWith(bare) && text !== bare && !(minus && (text === "-" || text.startsWith("dur"))),
  )
    .slice(0, most)
    .map(({ text, what }) => ({ text: minus + text, what: what(), start, end }));
}

function operatorText(operator: string): string {
  return operator.startsWith("dur") ? operator : `${operator}:`;
}

function valuesOf(operator: string, known: Known): readonly string[] {
  if (["after", "before", "on"].includes(operator)) return TIMES;
  if (operator.startsWith("dur")) return DURATIONS;
  return known[operator] ?? [];
}

/** The query with a completion inserted, and the new caret position. */
export function complete(query: string, completion: Completion): { query: string; caret: number } {
  const before = query.slice(0, completion.start);
  const after = query.slice(completion.end).replace(/^\s+/, completion.text.endsWith(" ") ? "" : " ");
  return { query: before + completion.text + after, caret: before.length + completion.text.length };
}

/** A filter of the context bar as a part of a query; undefined if search has no such operator. */
export function filterTerm(field: string, operator: string, value: string): string | undefined {
  if (!["app", "title", "url", "domain", "category", "device", "bucket"].includes(field)) return undefined;
  return `${operator === "not" ? "-" : ""}${field}:${quoted(value)}`;
}
