import { expect, test } from "vitest";
import { keyName, Sequence, type KeyPress } from "./keys";

const press = (key: string, held: Partial<KeyPress> = {}): KeyPress => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  isComposing: false,
  repeat: false,
  ...held,
});

test.each([
  [press("k"), "k"],
  [press("?", { shiftKey: true }), "?"],
  [press("B", { shiftKey: true }), "Shift B"],
  [press("k", { ctrlKey: true }), "Ctrl k"],
  [press("K", { metaKey: true }), "Ctrl k"],
  [press("ArrowLeft", { altKey: true }), undefined],
  [press("k", { ctrlKey: true, shiftKey: true }), undefined],
  [press("k", { isComposing: true }), undefined],
  [press("Tab"), undefined],
])("case %#: a key has its name", (key, name) => expect(keyName(key)).toBe(name));

test("a sequence is two keys in quick succession", () => {
  const keys = new Sequence({ "g t": "today", t: "other" });
  expect([keys.press("g", 0), keys.press("t", 500)]).toEqual([null, "today"]);
  expect([keys.press("g", 1000), keys.press("t", 5000)]).toEqual([null, "other"]);
  expect([keys.press("g", 9000), keys.press("x", 9100), keys.press("t", 9200)]).toEqual([
    null,
    undefined,
    "other",
  ]);
});
