// Completion in the query editor.
import { t } from "../../../core/i18n/translate.svelte";
import { assignedNames, type Place } from "./place";

export interface FunctionInfo {
  readonly name: string;
  readonly summary: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly kind: string;
    readonly description: string;
    readonly is_optional: boolean;
    readonly is_variadic: boolean;
  }[];
  readonly returns: string;
  readonly example: string;
}

export interface Known {
  readonly functions: readonly FunctionInfo[];
  readonly buckets: readonly string[];
  readonly categories: readonly (readonly string[])[];
}

export interface Completion {
  readonly label: string;
  /** The text that replaces what was typed. */
  readonly insert: string;
  /** Position of the cursor, counted from the end of the inserted text. */
  readonly back: number;
  readonly detail: string;
  readonly kind: "function" | "variable" | "bucket" | "category" | "field" | "word";
}

const WORDS = ["if", "elif", "else", "return", "true", "false"];
const GIVEN = ["STARTTIME", "ENDTIME", "TIMEINTERVAL", "NAME", "RETURN"];
const FIELDS = [
  "app",
  "title",
  "url",
  "status",
  "$category",
  "$domain",
  "$tags",
  "file",
  "project",
  "language",
  "incognito",
  "audible",
];
const OF_BUCKETS = new Set(["query_bucket", "query_bucket_eventcount", "find_bucket"]);
const MOST = 50;

/** "merge_events_by_keys(events, keys)"; optional arguments are in brackets. */
export function signatureText(info: FunctionInfo): string {
  const parameters = info.parameters.map(({ name, is_optional, is_variadic }) =>
    is_variadic ? `${name}…` : is_optional ? `[${name}]` : name,
  );
  return `${info.name}(${parameters.join(", ")})`;
}

/** The candidates, the most likely first. */
export function completionsAt(place: Place, text: string, known: Known): Completion[] {
  if (place.kind === "comment") return [];
  const candidates = place.kind === "string" ? inString(place, known) : outside(place, text, known);
  return candidates
    .map((candidate) => ({ candidate, rank: rankOf(candidate.label, place.prefix) }))
    .filter((each): each is { candidate: Completion; rank: number } => each.rank !== undefined)
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, MOST)
    .map((each) => each.candidate);
}

function inString(place: Place, { buckets, categories }: Known): Completion[] {
  const ofBuckets = buckets.map((id) => plain(id, "bucket", "bucket"));
  if (place.call && OF_BUCKETS.has(place.call.name)) return ofBuckets;
  const names = [...new Set(categories.flat())].map((name) => plain(name, "category", "category"));
  return [...FIELDS.map((field) => plain(field, "field", "field")), ...names, ...ofBuckets];
}

function outside(place: Place, text: string, { functions, categories }: Known): Completion[] {
  const before = text.slice(0, place.from) + text.slice(place.from + place.prefix.length);
  const names = assignedNames(before).filter((name) => !GIVEN.includes(name));
  return [
    ...names.map((name) => plain(name, "variable", "variable")),
    ...functions.map((info): Completion => ({
      label: info.name,
      insert: `${info.name}()`,
      back: info.parameters.length > 0 ? 1 : 0,
      detail: signatureText(info).slice(info.name.length),
      kind: "function",
    })),
    ...GIVEN.map((name) =>
      plain(name, name === "RETURN" ? t("query.theResult") : t("query.predefined"), "variable"),
    ),
    ...WORDS.map((word) => plain(word, "", "word")),
    ...categories.map((path): Completion => ({
      label: path.join(" › "),
      insert: `[${path.map((name) => JSON.stringify(name)).join(", ")}]`,
      back: 0,
      detail: "category",
      kind: "category",
    })),
  ];
}

function plain(text: string, detail: string, kind: Completion["kind"]): Completion {
  return { label: text, insert: text, back: 0, detail, kind };
}

/** How well a label matches what was typed: 0 is best, undefined is no match. */
export function rankOf(label: string, typed: string): number | undefined {
  if (!typed) return 1;
  if (label === typed) return undefined; // nothing left to complete
  const [whole, part] = [label.toLowerCase(), typed.toLowerCase()];
  if (label.startsWith(typed)) return 0;
  if (whole.startsWith(part)) return 1;
  if (whole.split(/[_\-\s.›]+/).some((word) => word.startsWith(part))) return 2;
  if (part.length >= 3 && whole.includes(part)) return 3;
  return part.length >= 3 && isScattered(whole, part) ? 4 : undefined;
}

function isScattered(whole: string, part: string): boolean {
  let at = 0;
  for (const character of part) {
    at = whole.indexOf(character, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
