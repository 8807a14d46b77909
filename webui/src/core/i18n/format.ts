// Numbers and dates in the language of the page. Formatters are cached, because creating one is slow.
import { language } from "./translate.svelte";

/** "412,003" or "412.003". */
export function formatNumber(value: number, options: Intl.NumberFormatOptions = {}): string {
  return cached(numbers, JSON.stringify(options), (locale) => new Intl.NumberFormat(locale, options)).format(
    value,
  );
}

/** "27.00" or "27,00": with this many decimals, and without separators, so that a spreadsheet reads it. */
export function formatDecimal(value: number, digits: number): string {
  return formatNumber(value, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    useGrouping: false,
  });
}

/** A formatter for times in a zone. */
export function dateFormat(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return cached(
    dates,
    zone + JSON.stringify(options),
    (locale) => new Intl.DateTimeFormat(locale, { ...options, timeZone: zone }),
  );
}

/** A heading inside a sentence: lower case in English, while German nouns stay capitalized. */
export function inSentence(heading: string): string {
  return language.current === "en" ? heading.toLowerCase() : heading;
}

const numbers = new Map<string, Intl.NumberFormat>();
const dates = new Map<string, Intl.DateTimeFormat>();

function cached<F>(formats: Map<string, F>, key: string, make: (locale: string) => F): F {
  const { locale } = language;
  const full = `${locale} ${key}`;
  let found = formats.get(full);
  if (!found) formats.set(full, (found = make(locale)));
  return found;
}
