// The sentences that the page and the exported document share.
import { t } from "../../core/i18n/translate.svelte";
import { duration } from "../../core/time/duration";
import type { Review, ReviewGoal } from "./model";

/** "2h 10m more than in a typical week" */
export function differenceText({ active, typical, isRunning }: Review): string {
  if (typical === undefined) return "";
  const week = isRunning ? t("review.aTypicalWeekSoFar") : t("review.aTypicalWeek");
  const difference = active - typical;
  if (Math.abs(difference) < 300) return t("review.aboutAsMuchAsIn", { week });
  return t("review.thanIn", {
    duration: duration(Math.abs(difference)),
    choice: difference > 0 ? t("common.moreThan") : t("common.lessThan"),
    week,
  });
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
