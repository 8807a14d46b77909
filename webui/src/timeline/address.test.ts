import { describe, expect, it } from "vitest";
import { addressParams, parseAddress, parseMoment } from "./address";
import { aroundOf } from "./around";
import { labelText, lengthText, spanText, spoken } from "./describe";
import { Texts } from "./model";
import { dataRows } from "./event-data";

describe("the address", () => {
  it("says what the timeline shows, there and back", () => {
    const selection = {
      start: parseMoment("2026-03-05T10:05:00Z"),
      end: parseMoment("2026-03-05T11:20:00.000125Z"),
    };
    const said = {
      lanes: ["a/b", "c"],
      colour: "title" as const,
      selection,
      event: { bucket: "we@rd/bucket", id: 12 },
      inside: { ...selection, lane: "we@rd/bucket" },
      view: "table" as const,
    };
    const params = new URLSearchParams();
    for (const [name, value] of Object.entries(addressParams(said)))
      for (const each of [value ?? []].flat()) params.append(name, each);
    expect(parseAddress(new URLSearchParams(params.toString()))).toEqual(said);
  });

  it("leaves out what is usual, and what makes no sense", () => {
    expect(
      addressParams({
        lanes: [],
        colour: "category",
        selection: undefined,
        event: undefined,
        view: "lanes",
      }),
    ).toEqual({ lanes: [], colour: undefined, selection: undefined, event: undefined, view: undefined });
    expect(parseAddress(new URLSearchParams("selection=x/y&event=7&colour=plaid&lanes=bucket"))).toEqual({
      lanes: [],
      colour: "category",
      selection: undefined,
      event: undefined,
      inside: undefined,
      view: "lanes",
    });
  });
});

describe("the overview", () => {
  const HOUR = 3_600_000;
  const noon = Date.parse("2026-03-05T12:00:00Z");
  const known = { start: Date.parse("2020-01-01T00:00:00Z"), end: noon };
  const around = (hours: number, middle = noon) =>
    aroundOf({ start: middle - (hours / 2) * HOUR, end: middle + (hours / 2) * HOUR }, known, "UTC", "04:00");

  it("is of the day, the month or the year that one looks into", () => {
    expect(around(2)).toEqual({ period: "day", date: "2026-03-05" });
    expect(around(24)).toEqual({ period: "month", date: "2026-03-15" });
    expect(around(24 * 30)).toEqual({ period: "year", date: "2026-06-15" });
    expect(around(24 * 365)).toMatchObject({ start: known.start });
  });
  it("stays the same while one moves within it", () => {
    const later = noon + 5 * 24 * HOUR;
    for (const hours of [24, 24 * 30, 24 * 365]) expect(around(hours, later)).toEqual(around(hours));
  });
  it("takes the night for the day before", () =>
    expect(around(1, Date.parse("2026-03-05T02:00:00Z"))).toEqual({ period: "day", date: "2026-03-04" }));
});

describe("words", () => {
  it("name files by their last part, and count what is merged", () => {
    expect(labelText("app.editor.activity", { title: "/home/robin/src/main.py", app: "" }, 1).title).toBe(
      "main.py",
    );
    expect(labelText("currentwindow", { title: "Inbox", app: "Mail" }, 31)).toEqual({
      title: "Inbox ×31",
      app: "Mail",
    });
    expect(labelText("currentwindow", { title: "", app: "" }, 1).title).toBe("");
  });

  it("are the title with the app under it, or the app alone", () => {
    const texts = new Texts();
    const [code, main] = [texts.key("Code"), texts.title("main.py")];
    const [afk, same] = [texts.key("afk"), texts.title("Code")];
    const lane = { type: "currentwindow" };
    expect(spanText(lane, { key: code, title: main }, texts)).toEqual({ title: "main.py", app: "Code" });
    expect(spanText(lane, { key: code, title: -1 }, texts)).toEqual({ title: "Code", app: "" });
    expect(spanText(lane, { key: code, title: same }, texts)).toEqual({ title: "Code", app: "" });
    expect(spanText({ type: "afkstatus" }, { key: afk, title: -1 }, texts).title).toBe("Away");
  });

  it("for screen readers have the title before the app", () => {
    const texts = new Texts();
    const [key, title] = [texts.key("Code"), texts.title("main.py")];
    const lane = { id: "w", bucket: "w", device: "laptop", type: "currentwindow" };
    const span = { start: 0, end: 60_000, key, title, cat: -1, n: 1, cover: 1, share: 1, id: 1 };
    expect(spoken(lane, span, texts, "UTC")).toMatch(
      /^main\.py, Code, 1970-01-01, .*, 1 minute, Apps on laptop$/,
    );
    expect(spoken(lane, span, texts, "UTC", true)).not.toMatch(/main|Code/);
  });
  it("say how much time is on the screen", () => {
    expect(lengthText(4 * 3_600_000)).toBe("4h 00m");
    expect(lengthText(7 * 86_400_000)).toBe("7 days");
    expect(lengthText(365 * 86_400_000)).toBe("12 months");
    expect(lengthText(4 * 365.25 * 86_400_000)).toBe("4 years");
  });
});

describe("the data of an event", () => {
  it("have the telling fields first, and are links only where a browser may open them", () => {
    const rows = dataRows({ tabCount: 3, url: "https://x.example/a", title: "<b>", app: "Firefox" });
    expect(rows.map(({ field }) => field)).toEqual(["app", "title", "url", "tabCount"]);
    expect(rows.map(({ href }) => href)).toEqual([undefined, undefined, "https://x.example/a", undefined]);
    expect(dataRows({ url: "javascript:alert(1)" })[0]?.href).toBeUndefined();
    expect(rows.map(({ isPrivate }) => isPrivate)).toEqual([false, true, true, false]);
  });
});
