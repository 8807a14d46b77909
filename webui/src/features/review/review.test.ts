import { expect, test } from "vitest";
import type { ActivitySession, GoalsResponse, Suggestions, Summary } from "../../core/api/schema";
import { cardSvg, headline, reviewCard } from "./card";
import { reviewDocument } from "./document";
import { reviewOf, type ReviewTimes } from "./model";
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
} as unknown as GoalsResponse; // prettier-ignore
const suggestions = {
  uncategorized: HOUR,
  suggestions: [
    { kind: "word", value: "report", seconds: HOUR },
    { kind: "app", value: "Gartenplan", seconds: HOUR },
  ],
} as unknown as Suggestions;
const AFTER = Date.parse("2026-11-17T00:00:00Z");

const session = (start: string, end: string, title: string) =>
  ({
    start,
    end,
    title,
    app: "Code",
    category: ["Work", "<Code>"],
    active: HOUR,
  }) as unknown as ActivitySession;
const dates = (first: string, step: number, count: number) =>
  Array.from({ length: count + 1 }, (_, place) =>
    new Date(Date.parse(first) + place * step * 86_400_000).toISOString(),
  );
const times: ReviewTimes = {
  sessions: [
    session("2026-11-10T08:30:00Z", "2026-11-10T09:10:00Z", "plan.md"),
    session("2026-11-10T09:10:00Z", "2026-11-10T11:00:00Z", "<main>.py"),
    session("2026-11-14T23:30:00Z", "2026-11-15T00:30:00Z", "late"),
  ],
  days: { edges: dates("2026-11-09", 1, 7), total: [0, 10 * HOUR, 0, 0, 0, 20 * HOUR, 0] },
  weeks: {
    edges: dates("2026-09-21", 7, 8),
    total: [0, 0, HOUR, 5 * HOUR, 0, 9 * HOUR, 20 * HOUR, 30 * HOUR],
  },
};
const look = {
  width: 820,
  theme: "light" as const,
  colorOf: (_path: unknown, app?: string | null) => (app ? `#app-${app}` : "#123456"),
  isByApp: false,
  hasLabel: true,
  showsTitles: false,
};
const pictureOf = (showsTitles: boolean) => {
  const review = week();
  return cardSvg(reviewCard(review, { ...look, showsTitles }), headline(review, false));
};

const week = (active = 30 * HOUR, before: number | undefined = 20 * HOUR, now = AFTER) =>
  reviewOf(summary(active, before), goals, suggestions, now, times);

test("the week is compared with a typical one", () => {
  expect(differenceText(week())).toBe("10h 00m more than in a typical week");
  expect(differenceText(week(20 * HOUR))).toBe("about as much as in a typical week");
  expect(differenceText(week(18 * HOUR, 20 * HOUR, Date.parse("2026-11-12T00:00:00Z")))).toBe(
    "2h 00m less than in a typical week so far",
  );
});

test("without earlier weeks there is no comparison and no change", () => {
  const first = reviewOf(summary(HOUR, undefined), goals, suggestions, AFTER, times);
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
  const html = reviewDocument(week(), pictureOf(false));
  expect(html).toContain("30h 00m");
  expect(html).toContain("10h 00m more than in a typical week");
  expect(html).toContain("Work › &lt;Code&gt;");
  expect(html).not.toContain("<Code>");
  expect(html).not.toMatch(/(src|href)=/);
});

test("the ribbons of a day have its sessions, also the part of one that began the day before", () => {
  const { days } = week();
  expect(days.map(({ spans }) => spans.map(({ from, to }) => [from, to].map((hour) => Math.round(hour * 6) / 6)))).toEqual([
    [], [[8.5, 55 / 6], [55 / 6, 11]], [], [], [], [[23.5, 24]], [[0, 0.5]],
  ]); // prettier-ignore
  expect(days.map(({ seconds }) => seconds / HOUR)).toEqual([0, 10, 0, 0, 0, 20, 0]);
});

test("the trend begins with the first week that has data, and a streak ends with the last miss", () => {
  expect(week().trend.map(({ seconds }) => seconds / HOUR)).toEqual([1, 5, 0, 9, 20, 30]);
  const recent = ["2026-11-11", "2026-11-12", "2026-11-13"].map((date) =>
    day(`${date}T00:00:00Z`, date > "2026-11-11"),
  );
  const [writing] = goals.goals;
  const kept = { goals: [{ ...writing, recent }] } as unknown as GoalsResponse;
  expect(reviewOf(summary(HOUR, 0), kept, suggestions, AFTER, times).streaks).toEqual([
    { name: "Writing", per: "day", count: 3 },
  ]);
  expect(week().streaks).toEqual([]);
});

test("the picture names a title only if that was chosen, and every text in it is escaped", () => {
  expect(pictureOf(false)).not.toContain("main");
  expect(pictureOf(true)).toContain("&lt;main&gt;.py");
  expect(pictureOf(true)).not.toContain("<main>");
  expect(pictureOf(false)).toContain("30h 00m active, most of it Work › &lt;Code&gt;");
});

test("if most time has no category, apps have the colors and the headline, and a focus names its app", () => {
  const plain = summary(30 * HOUR, 20 * HOUR);
  const review = reviewOf(
    {
      ...plain,
      totals: { ...plain.totals, focus: { ...plain.totals.focus, category: ["Uncategorized"], app: "Code" } },
      lists: {
        category: [{ key: ["Uncategorized"], seconds: 30 * HOUR }],
        app: [{ key: "Code", seconds: 29 * HOUR }],
      },
    } as unknown as Summary,
    goals,
    suggestions,
    AFTER,
    times,
  );
  expect(headline(review, true)).toBe("30h 00m active, most of it Code");
  const picture = cardSvg(reviewCard(review, { ...look, isByApp: true }), "");
  expect(picture).toContain('fill="#app-Code"');
  expect(picture).toContain("Code 29h 00m");
  expect(picture).not.toContain("Uncategorized");
});

test("lines that do not fit on a phone are wrapped, not cut", () => {
  const { shapes } = reviewCard(week(), { ...look, width: 300 });
  const texts = shapes.flatMap((shape) => (shape.kind === "text" ? [shape.text] : []));
  expect(texts.filter((text) => text.endsWith("…"))).toEqual([]);
  expect(texts.join(" ")).toContain("30h 00m active, most of it Work › <Code>");
});

test("Monday is the day of the notice", () => {
  expect(["2026-11-15", "2026-11-16", "2026-11-17"].map(isMonday)).toEqual([false, true, false]);
});
