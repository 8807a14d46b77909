import { describe, expect, it } from "vitest";
import { moment } from "./viewport";
import { columnsOf, draggedRange, hoursOf, weeksOf } from "./week";

const at = (text: string) => Date.parse(text);
const session = (start: string, end: string) => ({ start: at(start), end: at(end) });

describe("the columns of a week", () => {
  const monday = at("2026-03-02T04:00:00Z");

  it("are seven days with the sessions of each", () => {
    const columns = columnsOf(monday, "UTC", [
      session("2026-03-02T10:00:00Z", "2026-03-02T11:30:00Z"),
      session("2026-03-04T09:00:00Z", "2026-03-04T09:15:00Z"),
    ]);
    expect(columns.map(({ blocks }) => blocks.length)).toEqual([1, 0, 1, 0, 0, 0, 0]);
    expect(columns[0]?.blocks[0]).toMatchObject({ top: 6, height: 1.5 });
  });

  it("share a session that crosses the start of a day", () => {
    const columns = columnsOf(monday, "UTC", [session("2026-03-03T03:00:00Z", "2026-03-03T05:00:00Z")]);
    expect(columns[0]?.blocks[0]).toMatchObject({ top: 23, height: 1 });
    expect(columns[1]?.blocks[0]).toMatchObject({ top: 0, height: 1 });
  });

  it("have 23 hours when the clocks go forward", () => {
    const columns = columnsOf(at("2026-03-23T03:00:00Z"), "Europe/Berlin", []);
    expect(columns.map(({ start, end }) => (end - start) / 3_600_000)).toEqual([24, 24, 24, 24, 24, 23, 24]);
  });

  it("show the hours that have sessions, and at least ten", () => {
    const hours = (...sessions: ReturnType<typeof session>[]) => hoursOf(columnsOf(monday, "UTC", sessions));
    expect(hours(session("2026-03-02T08:20:00Z", "2026-03-05T08:40:00Z"))).toMatchObject({
      first: 0,
      last: 24,
    });
    expect(hours(session("2026-03-02T10:20:00Z", "2026-03-02T12:00:00Z"))).toEqual({ first: 6, last: 16 });
    expect(hours()).toEqual({ first: 4, last: 14 });
  });
});

it("a drag selects a time to five minutes, within its day", () => {
  const day = session("2026-03-02T04:00:00Z", "2026-03-03T04:00:00Z");
  expect(draggedRange(day, 7.26, 6.01)).toEqual(session("2026-03-02T10:00:00Z", "2026-03-02T11:15:00Z"));
  expect(draggedRange(day, 6, 6)).toEqual(session("2026-03-02T10:00:00Z", "2026-03-02T10:05:00Z"));
  expect(draggedRange(day, 23, 30).end).toBe(day.end);
});

describe("the weeks of a viewport", () => {
  const weeks = (start: string, end: string, zone: string) =>
    weeksOf(session(start, end), zone, "04:00").map((week) => `${moment(week.start)} ${moment(week.end)}`);

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
