// Categories as text: "Work/Code", or a JSON list if a name contains a slash.
import { t } from "../i18n/translate.svelte";
import type { Path } from "../color/palette";

export function pathText(path: Path): string {
  return path.some((name) => name.includes("/")) ? JSON.stringify(path) : path.join("/");
}

export function isUncategorized(path: Path): boolean {
  return path.length === 0 || (path.length === 1 && path[0] === "Uncategorized");
}

/** A category path for display, with arrows between the names. */
export function pathLabel(path: Path | null | undefined): string {
  return !path || isUncategorized(path) ? t("common.uncategorized") : path.join(" › ");
}

/** The time directly in a category that has others below it: "Media itself". */
export function itselfLabel(path: Path): string {
  return t("common.itself", { category: pathLabel(path) });
}

export function parsePath(text: string): string[] {
  if (text.startsWith("[")) {
    try {
      const list: unknown = JSON.parse(text);
      if (Array.isArray(list) && list.every((name) => typeof name === "string")) return list;
    } catch {
      // not a list
    }
  }
  return text.split("/");
}
