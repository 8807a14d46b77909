// A week as a review shows it: built from what the API answers, without anything of the page.
import { rangeLabel } from "../../core/time/range-label";
import type { GoalsAnswer, Suggestions, Summary } from "../../core/api/schema";
import { biggestChanges, type Change } from "../trends/changes";
import { targetText } from "../goals/text";
import { endText, focusText } from "../today/focus";

const CHANGES = 5;
const TOP = 6;
const GROUPS = 5;

export interface ReviewGoal {
  readonly id: number;
  readonly name: string;
  readonly target: string;
  readonly isMet: boolean;
  /** "5 of 7 days", "31h 10m of 30h 00m" */
  readonly result: { readonly met: number; readonly of: number } | { readonly seconds: number };
}

export interface Review {
  readonly label: string;
  readonly range: { readonly start: string; readonly end: string; readonly tz: string };
  readonly active: number;
  /** Active time of a typical week, or of the same part of it; undefined without earlier weeks. */
  readonly typical: number | undefined;
  /** True while the week is not over. */
  readonly isRunning: boolean;
  readonly top: readonly { readonly path: readonly string[]; readonly seconds: number }[];
  readonly changes: readonly Change[];
  readonly focus:
    | {
        readonly seconds: number;
        readonly start: string;
        readonly end: string;
        readonly path: readonly string[];
        /** "3 short interruptions", "Ended by Slack (Comms)" */
        readonly details: readonly string[];
      }
    | undefined;
  readonly goals: readonly ReviewGoal[];
  readonly uncategorized: {
    readonly seconds: number;
    /** Of the active time, from 0 to 1. */
    readonly share: number;
    readonly groups: readonly { readonly name: string; readonly seconds: number }[];
  };
}

export function reviewOf(
  summary: Summary,
  goals: GoalsAnswer,
  suggestions: Suggestions,
  now: number,
): Review {
  const { totals, range, compare } = summary;
  const hasTypical = compare !== undefined && compare.periods !== 0;
  const rows = (summary.lists["category"] ?? []).map(({ key, seconds }) => ({ path: asPath(key), seconds }));
  return {
    label: rangeLabel(range),
    range,
    active: totals.active,
    typical: hasTypical ? compare.totals.active : undefined,
    isRunning: Date.parse(range.start) <= now && now < Date.parse(range.end),
    top: rows.slice(0, TOP),
    changes: hasTypical
      ? biggestChanges(summary.lists["category"] ?? [], compare.lists["category"] ?? [], CHANGES)
      : [],
    focus: totals.focus
      ? {
          seconds: totals.longest_focus,
          start: totals.focus.start,
          end: totals.focus.end,
          path: totals.focus.category,
          details: [focusText(totals.focus), endText(totals.focus) ?? ""].filter(Boolean),
        }
      : undefined,
    goals: goals.goals.filter(({ per }) => per !== "month").map((goal) => reviewedGoal(goal, range.start)),
    uncategorized: {
      seconds: suggestions.uncategorized,
      share: totals.active > 0 ? suggestions.uncategorized / totals.active : 0,
      groups: suggestions.suggestions
        .filter(({ kind }) => kind !== "word")
        .slice(0, GROUPS)
        .map(({ value, seconds }) => ({ name: value, seconds })),
    },
  };
}

function reviewedGoal(goal: GoalsAnswer["goals"][number], start: string): ReviewGoal {
  const isMetNow = goal.state === "reached" || goal.state === "within";
  const base = { id: goal.id, name: goal.name, target: targetText(goal, goal.target) };
  if (goal.per === "week") return { ...base, isMet: isMetNow, result: { seconds: goal.seconds } };
  const days = goal.recent.filter((period) => Date.parse(period.start) >= Date.parse(start));
  const met = days.filter((period) => period.is_met).length + (isMetNow ? 1 : 0);
  const of = days.length + (goal.state === "off" ? 0 : 1);
  return { ...base, isMet: met === of, result: { met, of } };
}

function asPath(key: string | readonly string[]): readonly string[] {
  return typeof key === "string" ? [key] : key;
}
