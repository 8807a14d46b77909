// Goals as text.
import { t } from "../../core/i18n/translate.svelte";
import { duration } from "../../core/time/duration";
import { pathLabel } from "../../core/text/paths";

interface GoalText {
  readonly kind: "at_least" | "at_most";
  readonly per: "day" | "week" | "month";
  readonly by: "all" | "app" | "category" | "domain";
  readonly category: readonly string[] | null;
  readonly value: string | null;
}

/** "≥ 4h 00m a day" */
export function targetText({ kind, per }: GoalText, seconds: number): string {
  const values = { duration: duration(seconds) };
  const amount =
    per === "day"
      ? t("goals.perDay", values)
      : per === "week"
        ? t("goals.perWeek", values)
        : t("goals.perMonth", values);
  return `${kind === "at_least" ? "≥" : "≤"} ${amount}`;
}

/** What counts: "Work › Code", "news.example.org", "all active time". */
export function subjectText({ by, category, value }: GoalText): string {
  if (by === "all") return t("goals.allActiveTimeInText");
  return by === "category" ? pathLabel(category) : (value ?? "");
}

export const STATE_TEXTS = {
  reached: () => t("goals.reached"),
  on_track: () => t("goals.onTrack"),
  behind: () => t("goals.behind"),
  within: () => t("goals.within"),
  exceeded: () => t("goals.over"),
  off: () => t("goals.notToday"),
} as const;

/** The state of a goal as text; a target that was not reached in a period that is over is missed. */
export function stateText(
  goal: { readonly state: keyof typeof STATE_TEXTS; readonly end: string },
  now: number,
) {
  const isOver = Date.parse(goal.end) <= now;
  if (isOver && (goal.state === "behind" || goal.state === "on_track")) return t("goals.missed");
  return STATE_TEXTS[goal.state]();
}

/** Hours and minutes of a form, in seconds; undefined if they are not a valid duration. */
export function secondsOf(hours: number | null, minutes: number | null): number | undefined {
  const seconds = (hours ?? 0) * 3600 + (minutes ?? 0) * 60;
  return Number.isFinite(seconds) && seconds > 0 && seconds <= 31 * 86_400 ? seconds : undefined;
}
