// What interrupted the longest focus, and what ended it, as text.
import type { Focus } from "../../core/api/schema";
import { t } from "../../core/i18n/translate.svelte";
import { duration } from "../../core/time/duration";
import { pathLabel } from "../../core/text/paths";

type Activity = NonNullable<Focus["ended_by"]>;

/** "3 short interruptions" */
export function interruptionsText({ interruptions = 0 }: Focus): string {
  return interruptions === 0
    ? t("focus.noInterruptions")
    : t("focus.interruptions", { count: interruptions });
}

/** "2 short interruptions (1m 30s): Chat, Mail" */
export function focusText(focus: Focus): string {
  const { interrupted = 0, tolerated = [] } = focus;
  if (interrupted === 0) return interruptionsText(focus);
  const names = [...new Set(tolerated.map((each) => each.app ?? activityText(each)))].join(", ");
  return `${interruptionsText(focus)} (${duration(interrupted)}): ${names}`;
}

/** "Slack (Comms)", "away", "no data" */
export function activityText({ state, app, category }: Activity): string {
  if (state === "away") return t("common.away");
  if (state === "nodata") return t("focus.noData");
  const label = category ? pathLabel(category) : "";
  return app ? (label ? `${app} (${label})` : app) : label;
}

/** "Ended by Slack (Comms)"; undefined if it has not ended, or ends with the range. */
export function endText({ ended_by }: Focus): string | undefined {
  if (!ended_by) return undefined;
  return ended_by.state === "active"
    ? t("focus.endedBy", { activity: activityText(ended_by) })
    : t("focus.followedBy", { activity: activityText(ended_by) });
}
