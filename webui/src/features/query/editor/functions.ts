// What the functions of the query language do, in the language of the page.
import { germanNames } from "../../../core/i18n/names.svelte";

const germanSummary = germanNames(() => import("./functions.de.json"));

/** The summary of a function; that of the server for one that the page does not know. */
export function summaryOf({ name, summary }: { readonly name: string; readonly summary: string }): string {
  return germanSummary(name) ?? summary;
}
