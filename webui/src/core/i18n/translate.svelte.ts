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
    return name === "count" && typeof value === "number" ? value.toLocaleString(state.locale) : String(value);
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

const plurals = new Map<string, Intl.PluralRules>();

function plural(locale: string): Intl.PluralRules {
  let found = plurals.get(locale);
  if (!found) plurals.set(locale, (found = new Intl.PluralRules(locale)));
  return found;
}

/** Switch to the language of a tag such as "de" or "en-GB"; null is the browser's. Keeps the old one if loading fails. */
export async function setLanguage(tag: string | null): Promise<void> {
  const wanted = tag === null ? browserLanguage() : base(tag);
  const locale = localeFor(wanted, tag);
  if (wanted === state.language && locale === state.locale) return;
  const texts = wanted === "de" ? (await import("./de.json")).default : en;
  state = { language: wanted, locale, texts };
  if (typeof document !== "undefined") document.documentElement.lang = wanted;
}
