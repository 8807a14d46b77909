// The sentences that the page and the exported document share.
import { duration } from "../../lib/time/duration";
import type { Review, ReviewGoal } from "./model";

/** "2h 10m more than in a typical week" */
export function differenceText({ active, typical, isRunning }: Review): string {
  if (typical === undefined) return "";
  const week = isRunning ? "a typical week so far" : "a typical week";
  const difference = active - typical;
  if (Math.abs(difference) < 300) return `about as much as in ${week}`;
  return `${duration(Math.abs(difference))} ${difference > 0 ? "more" : "less"} than in ${week}`;
}

export function goalText({ result }: ReviewGoal): string {
  return "seconds" in result
    ? duration(result.seconds)
    : `${result.met} of ${result.of} ${result.of === 1 ? "day" : "days"}`;
}

export function shareText(share: number): string {
  const percent = Math.round(share * 100);
  return share > 0 && percent === 0 ? "less than 1 %" : `${percent} %`;
}
