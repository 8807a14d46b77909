import { describe, expect, it } from "vitest";
import { fits, shownTexts } from "./hit-text";

const hit = (data: Record<string, unknown>, key: string | null = null, bucket = "a", id = 1) => ({
  key,
  data,
  bucket,
  event: { id },
});

describe("an event belongs to a hit", () => {
  it("by its data, in any key order", () => {
    expect(fits(hit({ a: 1, b: { c: 2, d: 3 } }), hit({ b: { d: 3, c: 2 }, a: 1 }), "value")).toBe(true);
    expect(fits(hit({ a: 1 }), hit({ a: 2 }), "value")).toBe(false);
  });
  it("by what the hits are grouped by", () => {
    expect(fits(hit({ title: "T", app: "x" }), hit({ title: "T" }, "T"), "title")).toBe(true);
    expect(fits(hit({ url: "https://x.org/a" }), hit({ url: "https://x.org/b" }, "x.org"), "domain")).toBe(
      true,
    );
    expect(fits(hit({ url: "https://y.org/a" }), hit({}, "x.org"), "domain")).toBe(false);
    expect(fits(hit({}, null, "a", 1), hit({}, null, "a", 2), "none")).toBe(false);
  });
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
