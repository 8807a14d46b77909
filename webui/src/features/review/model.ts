// A week as a review shows it: built from what the API answers, without anything of the page.
import { rangeLabel } from "../../core/time/range-label";
import type { ActivitySession, GoalsResponse, Series, Suggestions, Summary } from "../../core/api/schema";
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

/** A day of the week with what was done in it; hours are since its start. */
export interface ReviewDay {
  readonly start: string;
  readonly seconds: number;
  readonly spans: readonly {
    readonly from: number;
    readonly to: number;
    readonly path: readonly string[];
    /** The app with the most time in it. */
    readonly app: string | null;
  }[];
}

export interface Streak {
  readonly name: string;
  readonly per: "day" | "week";
  /** How many periods in a row the goal was met, up to the last one. */
  readonly count: number;
}

/** What is not in the summary of the week. */
export interface ReviewTimes {
  readonly sessions: readonly ActivitySession[];
  /** The days of the week. */
  readonly days: Pick<Series, "edges" | "total">;
  /** The weeks up to this one. */
  readonly weeks: Pick<Series, "edges" | "total">;
}

export interface Review {
  readonly label: string;
  readonly range: { readonly start: string; readonly end: string; readonly tz: string };
  readonly active: number;
  /** Active time of a typical week, or of the same part of it; undefined without earlier weeks. */
  readonly typical: number | undefined;
  /** True while the week is not over. */
  readonly isRunning: boolean;
  readonly days: readonly ReviewDay[];
  readonly streaks: readonly Streak[];
  /** The active time of the weeks up to this one, from the first with data. */
  readonly trend: readonly { readonly start: string; readonly seconds: number }[];
  readonly top: readonly { readonly path: readonly string[]; readonly seconds: number }[];
  /** The apps with the most time, which have the colors if most time has no category. */
  readonly apps: readonly { readonly name: string; readonly seconds: number }[];
  readonly changes: readonly Change[];
  readonly focus:
    | {
        readonly seconds: number;
        readonly start: string;
        readonly end: string;
        /** Its category, or its app if it has none. */
        readonly path: readonly string[];
        /** The title with the most time in it. */
        readonly title: string | undefined;
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
  goals: GoalsResponse,
  suggestions: Suggestions,
  now: number,
  { sessions, days, weeks }: ReviewTimes,
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
    days: daysOf(days, sessions),
    streaks: goals.goals.flatMap(streakOf),
    trend: trendOf(weeks),
    top: rows.slice(0, TOP),
    apps: (summary.lists["app"] ?? [])
      .slice(0, TOP)
      .map(({ key, seconds }) => ({ name: String(key), seconds })),
    changes: hasTypical
      ? biggestChanges(summary.lists["category"] ?? [], compare.lists["category"] ?? [], CHANGES)
      : [],
    focus: totals.focus
      ? {
          seconds: totals.longest_focus,
          start: totals.focus.start,
          end: totals.focus.end,
          path: totals.focus.app ? [totals.focus.app] : totals.focus.category,
          title: titleIn(totals.focus, sessions),
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

function reviewedGoal(goal: GoalsResponse["goals"][number], start: string): ReviewGoal {
  const isMetNow = goal.state === "reached" || goal.state === "within";
  const base = { id: goal.id, name: goal.name, target: targetText(goal, goal.target) };
  if (goal.per === "week") return { ...base, isMet: isMetNow, result: { seconds: goal.seconds } };
  const days = goal.recent.filter((period) => Date.parse(period.start) >= Date.parse(start));
  const met = days.filter((period) => period.is_met).length + (isMetNow ? 1 : 0);
  const of = days.length + (goal.state === "off" ? 0 : 1);
  return { ...base, isMet: met === of, result: { met, of } };
}

const HOUR = 3_600_000;

function daysOf({ edges, total }: ReviewTimes["days"], sessions: readonly ActivitySession[]): ReviewDay[] {
  const times = sessions.map(({ start, end, category, app }) => ({
    start: Date.parse(start),
    end: Date.parse(end),
    path: category,
    app,
  }));
  return total.map((seconds, place) => {
    const start = edges[place] ?? "";
    const [from, to] = [Date.parse(start), Date.parse(edges[place + 1] ?? start)];
    const spans = times
      .filter((each) => each.start < to && each.end > from)
      .map((each) => ({
        from: (Math.max(from, each.start) - from) / HOUR,
        to: (Math.min(to, each.end) - from) / HOUR,
        path: each.path,
        app: each.app,
      }));
    return { start, seconds, spans };
  });
}

function trendOf({ edges, total }: ReviewTimes["weeks"]): { start: string; seconds: number }[] {
  const weeks = total.map((seconds, place) => ({ start: edges[place] ?? "", seconds }));
  const first = weeks.findIndex(({ seconds }) => seconds > 0);
  return first < 0 ? [] : weeks.slice(first);
}

function streakOf(goal: GoalsResponse["goals"][number]): Streak[] {
  if (goal.per === "month") return [];
  const isMetNow = goal.state === "reached" || goal.state === "within";
  const before = [...goal.recent].sort((one, other) => Date.parse(one.start) - Date.parse(other.start));
  const lastMiss = before.findLastIndex((period) => !period.is_met);
  const count = before.length - 1 - lastMiss + (isMetNow ? 1 : 0);
  return count > 1 ? [{ name: goal.name, per: goal.per, count }] : [];
}

/** The title of the session that has the most of a time. */
function titleIn(
  time: { readonly start: string; readonly end: string },
  sessions: readonly ActivitySession[],
): string | undefined {
  const shared = (session: ActivitySession) =>
    Math.min(Date.parse(session.end), Date.parse(time.end)) -
    Math.max(Date.parse(session.start), Date.parse(time.start));
  const longest = sessions.reduce<ActivitySession | undefined>(
    (best, each) => (shared(each) > (best ? shared(best) : 0) ? each : best),
    undefined,
  );
  return longest?.title ?? undefined;
}

function asPath(key: string | readonly string[]): readonly string[] {
  return typeof key === "string" ? [key] : key;
}
