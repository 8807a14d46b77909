// The names of fields and periods in sentences.
import { t } from "../i18n/translate.svelte";
import type { Period } from "../time/period";

/** The field of a filter or rule as text; other fields of the data have the name that watchers gave them. */
export function fieldLabel(field: string): string {
  switch (field) {
    case "any":
    case "*":
      return t("common.anyText");
    case "app":
      return t("fields.app");
    case "category":
      return t("fields.category");
    case "device":
      return t("fields.device");
    case "domain":
      return t("fields.domain");
    case "file":
      return t("fields.file");
    case "project":
      return t("fields.project");
    case "title":
      return t("fields.title");
    default:
      return field;
  }
}

/** "Previous week" */
export function previousText(period: Period): string {
  if (period === "day") return t("time.previousDay");
  if (period === "week") return t("time.previousWeek");
  return period === "month" ? t("time.previousMonth") : t("time.previousYear");
}

/** "Next week" */
export function nextText(period: Period): string {
  if (period === "day") return t("time.nextDay");
  if (period === "week") return t("time.nextWeek");
  return period === "month" ? t("time.nextMonth") : t("time.nextYear");
}
