import { describe, expect, it } from "vitest";
import { labelText, lengthText, spanText, spoken } from "./describe";
import { Texts } from "../spans/model";

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
