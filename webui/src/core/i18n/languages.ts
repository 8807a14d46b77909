// Which languages there are, and which one a browser prefers.

export const LANGUAGES = ["en", "de"] as const;
export type Language = (typeof LANGUAGES)[number];

/** The language of a tag: "de" of "de-AT"; English for those that have no translation. */
export function base(tag: string): Language {
  const [code] = tag.toLowerCase().split("-");
  return LANGUAGES.find((each) => each === code) ?? "en";
}

/** The first of the browser's languages that there is a translation for. */
export function browserLanguage(): Language {
  const known = browserTags().find((tag) =>
    LANGUAGES.some((each) => each === tag.toLowerCase().split("-")[0]),
  );
  return base(known ?? "en");
}

/**
 * The locale of dates and numbers: the tag itself if it names a region, else the browser's region of that language. In
 * English for a browser of another language, the clock decides between the British and the American order.
 */
export function localeFor(language: Language, tag: string | null = null): string {
  if (tag?.includes("-") && isLocale(tag)) return tag;
  const own = browserTags().find(
    (each) => base(each) === language && each.toLowerCase().startsWith(language),
  );
  if (own && isLocale(own)) return own;
  if (language !== "en") return language;
  const { hourCycle } = new Intl.DateTimeFormat(undefined, { hour: "numeric" }).resolvedOptions();
  return hourCycle === "h23" || hourCycle === "h24" ? "en-GB" : "en-US";
}

function browserTags(): readonly string[] {
  return typeof navigator === "undefined" ? [] : (navigator.languages ?? [navigator.language]);
}

function isLocale(tag: string): boolean {
  try {
    // What is well-formed has formats, if need be those of the browser. A list of the supported locales takes 20 ms.
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}
