import { expect, it } from "vitest";
import { aroundMark, pieces } from "./highlight";

const text = (all: ReturnType<typeof pieces>) =>
  all.map((piece) => (piece.isMarked ? `‹${piece.text}›` : piece.text)).join("");

it("highlights ranges of characters, not of UTF-16 units", () => {
  expect(
    text(
      pieces("🦀 rust 🦀 rusty", [
        [2, 6],
        [9, 13],
      ]),
    ),
  ).toBe("🦀 ‹rust› 🦀 ‹rust›y");
});
it("accepts ranges that touch, overlap, are unordered or exceed the end", () => {
  expect(
    text(
      pieces("abcdef", [
        [4, 9],
        [0, 2],
        [1, 3],
      ]),
    ),
  ).toBe("‹abc›d‹ef›");
  expect(text(pieces("", [[0, 2]]))).toBe("");
  expect(text(pieces("abc", []))).toBe("abc");
});
it("shortens the text before a late highlight", () => {
  const all = pieces("x".repeat(100) + "mark and more", [[100, 104]]);
  expect(text(aroundMark(all, 5))).toBe("…xxxxx‹mark› and more");
  expect(text(aroundMark(pieces("short mark", [[6, 10]])))).toBe("short ‹mark›");
});
