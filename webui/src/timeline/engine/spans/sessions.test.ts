import { describe, expect, it } from "vitest";
import { Texts } from "./model";
import { sessionSpans, weeksOf } from "./sessions";
import { moment } from "../viewport/viewport";

const range = (start: string, end: string) => ({ start: Date.parse(start), end: Date.parse(end) });

describe("the weeks of a viewport", () => {
  const weeks = (start: string, end: string, zone: string) =>
    weeksOf(range(start, end), zone, "04:00").map((week) => `${moment(week.start)} ${moment(week.end)}`);

  it("begin on Monday at the start of the day", () =>
    expect(weeks("2026-03-05T09:00:00Z", "2026-03-05T18:00:00Z", "UTC")).toEqual([
      "2026-03-02T04:00:00Z 2026-03-09T04:00:00Z",
    ]));

  it("adjoin, and follow the clocks of the zone", () =>
    expect(weeks("2026-03-29T00:00:00Z", "2026-03-31T00:00:00Z", "Europe/Berlin")).toEqual([
      "2026-03-23T03:00:00Z 2026-03-30T02:00:00Z",
      "2026-03-30T02:00:00Z 2026-04-06T02:00:00Z",
    ]));

  it("are the same for every viewport within them", () => {
    const one = weeks("2026-03-03T09:00:00Z", "2026-03-03T18:00:00Z", "UTC");
    expect(weeks("2026-03-08T19:00:00Z", "2026-03-09T03:59:00Z", "UTC")).toEqual(one);
  });

  it("are none for a year", () =>
    expect(weeks("2026-01-01T00:00:00Z", "2026-12-31T00:00:00Z", "UTC")).toEqual([]));
});

it("sessions have their title, app and category", () => {
  const texts = new Texts();
  const spans = sessionSpans(
    [
      {
        start: "2026-03-05T10:00:00Z",
        end: "2026-03-05T10:30:00Z",
        active: 1700,
        app: "Code",
        title: "main.py",
        category: ["Work", "Code"],
        device: "laptop",
        truncated: [],
      },
    ],
    texts,
  );
  expect(spans.size).toBe(1);
  expect(texts.keys[spans.key[0] ?? -1]).toBe("Code");
  expect(texts.titles[spans.title[0] ?? -1]).toBe("main.py");
  expect(texts.categories[spans.cat[0] ?? -1]).toEqual(["Work", "Code"]);
});
