import { describe, expect, it } from "vitest";
import { addressOf, fits, shownTexts } from "./hit-text";

const hit = (data: Record<string, unknown>, bucket = "a", id = 1) => ({
  data,
  bucket,
  event: { id },
});

describe("an event belongs to a hit", () => {
  it("by its data, in any key order", () => {
    expect(fits(hit({ a: 1, b: { c: 2, d: 3 } }), hit({ b: { d: 3, c: 2 }, a: 1 }), "thing")).toBe(true);
    expect(fits(hit({ a: 1 }), hit({ a: 2 }), "thing")).toBe(false);
  });
  it("by its id if events are not grouped", () => {
    expect(fits(hit({}, "a", 1), hit({}, "a", 2), "none")).toBe(false);
    expect(fits(hit({}, "a", 1), hit({}, "a", 1), "none")).toBe(true);
  });
});

it("only web pages can be opened", () => {
  expect(addressOf({ url: "https://x.org/a" })).toBe("https://x.org/a");
  expect(addressOf({ url: "javascript:alert(1)" })).toBeUndefined();
  expect(addressOf({ title: "x" })).toBeUndefined();
});

it("a hit shows its title, the matches, and where it was", () => {
  const shown = shownTexts({ app: "Firefox", title: "Rust", url: "https://x.org", tags: ["a", "rust"] }, [
    { path: ["tags", 1], ranges: [[0, 4]] },
    { path: ["title"], ranges: [[0, 4]] },
  ]);
  expect(shown.main).toEqual({ label: "title", text: "Rust", ranges: [[0, 4]] });
  expect(shown.more.map(({ label }) => label)).toEqual(["tags.1", "app", "url"]);
  expect(shownTexts({ count: 3 }, []).main.text).toBe('{"count":3}');
});
