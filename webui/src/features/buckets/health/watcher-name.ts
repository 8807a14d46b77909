import { t } from "../../../core/i18n/translate.svelte";

/** The short name of a watcher: "window", "away", "web-firefox". */
export function watcherName(client: string): string {
  const short = client.replace(/^aw-watcher-/, "");
  return short === "afk" ? t("common.away") : short;
}
