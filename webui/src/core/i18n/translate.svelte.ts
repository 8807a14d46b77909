// The texts of the pages in the chosen language. `en.json` is the catalog, `de.json` its translation.
import en from "./en.json";
import { base, browserLanguage, localeFor, type Language } from "./languages";
import { unpack } from "./packed";

type Catalog = typeof en;
type Group = keyof Catalog;
/** "group.name" of every text in the catalog. */
export type Key = { [G in Group]: `${G}.${Extract<keyof Catalog[G], string>}` }[Group];

/** A text, or one for each plural form of `count`. */
export type Message = string | { readonly [form in Intl.LDMLPluralRule]?: string };
/** A text of a list that is made once: called where it is shown, so that it follows the language. */
export type Label = () => string;
type Values = Readonly<Record<string, string | number>>;

interface State {
  readonly language: Language;
  /** For dates, numbers and plurals: the language with the region of the browser. */
  readonly locale: string;
  readonly texts: unknown;
}

let state = $state.raw<State>({ language: "en", locale: localeFor("en"), texts: en });

export const language = {
  get current(): Language {
    return state.language;
  },
  get locale(): string {
    return state.locale;
  },
};

/** The text of a key, with `{name}` replaced by the value of that name; `count` also chooses the plural form. */
export function t(key: Key, values?: Values): string {
  const message = find(key);
  const { count } = values ?? {};
  const text =
    typeof message === "string"
      ? message
      : (message[plural(state.locale).select(Number(count))] ?? message.other ?? "");
  if (!values) return text;
  return text.replace(/\{(\w+)\}/g, (hole, name: string) => {
    const value = values[name];
    if (value === undefined) return hole;
    return name === "count" && typeof value === "number" ? counts(state.locale).format(value) : String(value);
  });
}

/** The message of a key. A built page has the packed English text where the source has a key. */
function find(key: string): Message {
  if (import.meta.env.PROD) {
    const { place, message } = unpack(key);
    return (state.texts as readonly Message[] | undefined)?.[place] ?? message;
  }
  const [group = "", name = ""] = key.split(".");
  return (state.texts as Record<string, Record<string, Message>>)[group]?.[name] ?? key;
}

// One for each locale: making one takes longer than all that is done with it.
const plural = perLocale((locale) => new Intl.PluralRules(locale));
const counts = perLocale((locale) => new Intl.NumberFormat(locale));

function perLocale<F>(make: (locale: string) => F): (locale: string) => F {
  const made = new Map<string, F>();
  return (locale) => {
    let found = made.get(locale);
    if (!found) made.set(locale, (found = make(locale)));
    return found;
  };
}

/** The texts that a language has beyond those of the first page; they are loaded after these. */
let others: Promise<unknown> = Promise.resolve();

/** Wait for the texts of all pages. They are English if they cannot be loaded. */
export function allTexts(): Promise<unknown> {
  return others;
}

/** The language that the page starts with: waits for the texts of the first page only. */
export async function startLanguage(tag: string | null): Promise<void> {
  const next = stateFor(tag);
  if (next.language === "de") {
    const first = await firstGerman();
    others = setLanguage(tag).catch(() => undefined);
    show({ ...next, texts: first });
  } else show(next);
}

let switches = 0;

/** Switch to the language of a tag such as "de" or "en-GB"; null is the browser's. Keeps the old one if loading fails. */
export async function setLanguage(tag: string | null): Promise<void> {
  const next = stateFor(tag);
  if (next.language === state.language && next.locale === state.locale) return;
  const own = ++switches;
  const texts = next.language === "de" ? await allGerman() : en;
  if (own === switches) show({ ...next, texts });
}

async function allGerman(): Promise<unknown> {
  const [first, { default: rest }] = await Promise.all([firstGerman(), import("./de.json")]);
  return Array.isArray(first) ? [...(first as unknown[]), ...(rest as unknown as unknown[])] : rest;
}

/** The texts of the first page; in development all of them. */
async function firstGerman(): Promise<unknown> {
  const { default: first } = await (import.meta.env.PROD ? import("./de.json?first") : import("./de.json"));
  return first;
}

function stateFor(tag: string | null): State {
  const wanted = tag === null ? browserLanguage() : base(tag);
  return { language: wanted, locale: localeFor(wanted, tag), texts: en };
}

function show(next: State): void {
  state = next;
  if (typeof document !== "undefined") document.documentElement.lang = next.language;
}
