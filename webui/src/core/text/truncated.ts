// Texts that the server has truncated: they end with an ellipsis, and their title says so.
import { t } from "../i18n/translate.svelte";

type Paths = readonly (readonly (string | number)[])[];

/** The title of an element that shows the text. */
export function titleOf(text: string, isTruncated: boolean): string {
  return isTruncated ? `${t("common.truncated")}\n${text}` : text;
}

/** The title of an element that shows a field of an event; undefined if its text is whole. */
export function fieldTitle(truncated: Paths, field?: string): string | undefined {
  const isTruncated = truncated.some(([first]) => field === undefined || first === field);
  return isTruncated ? t("common.truncated") : undefined;
}
