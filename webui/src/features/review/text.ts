// The sentences that the page and the exported document share.
import { t } from "../../core/i18n/translate.svelte";
import { duration } from "../../core/time/duration";
import type { Review, ReviewGoal } from "./model";

/** "2h 10m more than in a typical week" */
export function differenceText({ active, typical, isRunning }: Review): string {
  if (typical === undefined) return "";
  const difference = active - typical;
  const values = { duration: duration(Math.abs(difference)) };
  if (Math.abs(difference) < 300)
    return isRunning ? t("review.asMuchAsTypicalSoFar") : t("review.asMuchAsTypical");
  if (difference > 0)
    return isRunning ? t("review.moreThanTypicalSoFar", values) : t("review.moreThanTypical", values);
  return isRunning ? t("review.lessThanTypicalSoFar", values) : t("review.lessThanTypical", values);
}

export function goalText({ result }: ReviewGoal): string {
  return "seconds" in result
    ? duration(result.seconds)
    : t("review.ofDays", { met: result.met, count: result.of });
}

export function shareText(share: number): string {
  const percent = Math.round(share * 100);
  return share > 0 && percent === 0 ? t("review.lessThan1") : `${percent} %`;
}
