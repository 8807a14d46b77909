// What the functions of the query language do, in the language of the page. The texts are loaded with the page of queries.
import { language } from "../../../core/i18n/translate.svelte";
import german from "./functions.de.json";

const GERMAN: Readonly<Record<string, string>> = german;

/** The summary of a function; that of the server for one that the page does not know. */
export function summaryOf({ name, summary }: { readonly name: string; readonly summary: string }): string {
  return (language.current === "de" ? GERMAN[name] : undefined) ?? summary;
}
