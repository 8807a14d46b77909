import { expect, test } from "vitest";
import type { GoalsAnswer, Suggestions, Summary } from "../../core/api/schema";
import { reviewDocument } from "./document";
import { reviewOf } from "./model";
import { isMonday } from "./monday";
import { differenceText, goalText, shareText } from "./text";

const HOUR = 3600;
const range = {
  start: "2026-11-09T00:00:00+00:00",
  end: "2026-11-16T00:00:00+00:00",
  tz: "UTC",
  day_start: "00:00",
  label: "9 – 15 Nov 2026",
};

function summary(active: number, before: number | undefined): Summary {
  const row = (key: string[], seconds: number) => ({ key, seconds });
  return {
    range,
    totals: {
      active,
      longest_focus: 2 * HOUR,
      focus: {
        start: "2026-11-10T09:00:00+00:00",
        end: "2026-11-10T11:00:00+00:00",
        category: ["Work", "<Code>"],
      },
    },
    lists: { category: [row(["Work", "<Code>"], active - HOUR), row(["Leisure"], HOUR)] },
    ...(before === undefined
      ? {}
      : {
          compare: {
            range,
            totals: { active: before },
            lists: { category: [row(["Leisure"], 3 * HOUR)] },
            periods: 4,
          },
        }),
  } as unknown as Summary;
}

const day = (start: string, isMet: boolean) => ({ start, end: start, seconds: HOUR, is_met: isMet });
const goals = {
  goals: [
    { id: 1, name: "Writing", kind: "at_least", per: "day", by: "all", category: null, value: null, target: HOUR, seconds: HOUR, state: "reached",
      recent: [day("2026-11-08T00:00:00+00:00", true), day("2026-11-13T00:00:00+00:00", true), day("2026-11-14T00:00:00+00:00", false)] },
    { id: 2, name: "Video", kind: "at_most", per: "week", by: "all", category: null, value: null, target: HOUR, seconds: 2 * HOUR, state: "exceeded", recent: [] },
    { id: 3, name: "Month", kind: "at_most", per: "month", by: "all", category: null, value: null, target: HOUR, seconds: 0, state: "within", recent: [] },
  ],
} as unknown as GoalsAnswer; // prettier-ignore
const suggestions = {
  uncategorized: HOUR,
  suggestions: [
    { kind: "word", value: "report", seconds: HOUR },
    { kind: "app", value: "Gartenplan", seconds: HOUR },
  ],
} as unknown as Suggestions;
const AFTER = Date.parse("2026-11-17T00:00:00Z");

const week = (active = 30 * HOUR, before: number | undefined = 20 * HOUR, now = AFTER) =>
  reviewOf(summary(active, before), goals, suggestions, now);

test("the week is compared with a typical one", () => {
  expect(differenceText(week())).toBe("10h 00m more than in a typical week");
  expect(differenceText(week(20 * HOUR))).toBe("about as much as in a typical week");
  expect(differenceText(week(18 * HOUR, 20 * HOUR, Date.parse("2026-11-12T00:00:00Z")))).toBe(
    "2h 00m less than in a typical week so far",
  );
});

test("without earlier weeks there is no comparison and no change", () => {
  const first = reviewOf(summary(HOUR, undefined), goals, suggestions, AFTER);
  expect([first.typical, first.changes]).toEqual([undefined, []]);
});

test("changes include what there was before and is less now", () => {
  expect(week().changes.map(({ key, by }) => [key, by])).toEqual([
    [["Work", "<Code>"], 29 * HOUR],
    [["Leisure"], -2 * HOUR],
  ]);
});

test("a daily goal is counted in days of this week, a weekly one in time, a monthly one not at all", () => {
  expect(week().goals.map((goal) => [goal.name, goalText(goal), goal.isMet])).toEqual([
    ["Writing", "2 of 3 days", false],
    ["Video", "2h 00m", false],
  ]);
});

test("what has no category is named by app or site", () => {
  expect(week().uncategorized.groups.map(({ name }) => name)).toEqual(["Gartenplan"]);
  expect([shareText(week().uncategorized.share), shareText(0.001)]).toEqual(["3 %", "less than 1 %"]);
});

test("the document shows the same figures, and names cannot break it", () => {
  const html = reviewDocument(week());
  expect(html).toContain("30h 00m");
  expect(html).toContain("10h 00m more than in a typical week");
  expect(html).toContain("Work › &lt;Code&gt;");
  expect(html).not.toContain("<Code>");
  expect(html).not.toMatch(/(src|href)=/);
});

test("Monday is the day of the notice", () => {
  expect(["2026-11-15", "2026-11-16", "2026-11-17"].map(isMonday)).toEqual([false, true, false]);
});
