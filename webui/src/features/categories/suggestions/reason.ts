// Why a category is suggested, in the language of the page. The server sends what the suggestion is based on.
import type { Suggestion } from "../../../core/api/schema";
import { t } from "../../../core/i18n/translate.svelte";

export function reasonText({
  basis,
  value,
  category,
}: Pick<Suggestion, "basis" | "value" | "category">): string {
  const values = { value, category: category.join(" › ") };
  switch (basis) {
    case "known_app":
      return t("categories.becauseAppsLikeIt", values);
    case "known_site":
      return t("categories.becauseSitesLikeIt", values);
    case "known_host":
      return t("categories.becauseOfTheHost", { ...values, first: `${value.split(".")[0] ?? ""}.` });
    case "browser":
      return t("categories.becauseItIsABrowser", values);
    case "app":
      return t("categories.becauseOfTimeInTheApp");
    case "domain":
      return t("categories.becauseOfTimeOnTheSite");
    case "word":
      return t("categories.becauseOfTheWord");
  }
}
