import { describe, expect, it } from "vitest";
import { Pointers, wheelAct, type PointerAt } from "./gestures";
import { timelineAct } from "./key-actions";

const wheel = { x: 100, deltaX: 0, deltaY: 0, deltaMode: 0, shiftKey: false, ctrlKey: false };
const at = (x: number, changes: Partial<PointerAt> = {}): PointerAt => ({
  ...{ id: 1, x, y: 10, isTouch: false, altKey: false, button: 0 },
  ...changes,
});

describe("a wheel", () => {
  it("zooms at the pointer, closer when it turns away from the person", () => {
    expect(wheelAct({ ...wheel, deltaY: -100 })).toMatchObject({ act: "zoom", at: 100 });
    const [closer, away] = [-100, 100].map((deltaY) => wheelAct({ ...wheel, deltaY }));
    expect(closer?.act === "zoom" && closer.factor).toBeLessThan(1);
    expect(away?.act === "zoom" && away.factor).toBeGreaterThan(1);
  });
  it("moves sideways, or with Shift", () => {
    expect(wheelAct({ ...wheel, deltaX: 30, deltaY: 5 })).toEqual({ act: "pan", by: 30 });
    expect(wheelAct({ ...wheel, deltaY: 30, shiftKey: true })).toEqual({ act: "pan", by: 30 });
  });
  it("counts lines as lines", () =>
    expect(wheelAct({ ...wheel, deltaX: 2, deltaMode: 1 })).toEqual({ act: "pan", by: 32 }));
});

describe("a pointer", () => {
  it("selects by dragging, and ends when the button is released", () => {
    const pointers = new Pointers();
    pointers.press(at(10));
    expect(pointers.move(at(60))).toEqual([{ act: "select", from: 10, to: 60, isDone: false }]);
    expect(pointers.release(at(80))).toEqual([{ act: "select", from: 10, to: 80, isDone: true }]);
  });
  it("moves with Alt held, and by finger", () => {
    for (const how of [{ altKey: true }, { isTouch: true }]) {
      const pointers = new Pointers();
      pointers.press(at(10, how));
      expect(pointers.move(at(60, how))).toEqual([{ act: "pan", by: -50 }]);
      expect(pointers.release(at(60, how))).toEqual([{ act: "settle" }]);
    }
  });
  it("clicks where the hand was only unsteady", () => {
    const pointers = new Pointers();
    pointers.press(at(10));
    expect(pointers.move(at(12))).toEqual([]);
    expect(pointers.release(at(12))).toEqual([{ act: "click", x: 12, y: 10 }]);
  });
  it("reports its position while no button is held", () =>
    expect(new Pointers().move(at(5))).toEqual([{ act: "hover", x: 5, y: 10 }]));
  it("pinches with another one: apart is closer", () => {
    const pointers = new Pointers();
    pointers.press(at(100, { id: 1, isTouch: true }));
    pointers.press(at(200, { id: 2, isTouch: true }));
    const acts = pointers.move(at(300, { id: 2, isTouch: true }));
    expect(acts).toEqual([
      { act: "pan", by: -50 },
      { act: "zoom", factor: 0.5, at: 200 },
    ]);
    pointers.release(at(300, { id: 2, isTouch: true }));
    expect(pointers.move(at(110, { id: 1, isTouch: true }))).toEqual([{ act: "pan", by: -10 }]);
  });
});

describe("keys", () => {
  const press = (key: string, changes = {}) => ({
    ...{ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, isComposing: false },
    ...changes,
  });
  it.each([
    ["ArrowRight", { act: "span", direction: 1 }],
    ["ArrowUp", { act: "lane", direction: -1 }],
    ["a", { act: "pan", direction: -1 }],
    ["D", { act: "pan", direction: 1 }],
    ["w", { act: "zoom", direction: 1 }],
    ["-", { act: "zoom", direction: -1 }],
    ["Home", { act: "edge", direction: -1 }],
    ["Enter", { act: "open" }],
    ["e", { act: "edit" }],
    ["c", { act: "note" }],
    ["Delete", { act: "delete" }],
    ["Escape", { act: "leave" }],
  ])("%s", (key, act) => expect(timelineAct(press(key))).toEqual(act));
  it("extend the selection with Shift", () =>
    expect(timelineAct(press("ArrowLeft", { shiftKey: true }))).toEqual({ act: "extend", direction: -1 }));
  it("are the browser's with Alt, Ctrl or ⌘", () => {
    for (const held of ["altKey", "ctrlKey", "metaKey"])
      expect(timelineAct(press("ArrowLeft", { [held]: true }))).toBeUndefined();
  });
  it("leave letters alone where single letters are switched off", () => {
    expect(timelineAct(press("d"), false)).toBeUndefined();
    expect(timelineAct(press("ArrowLeft"), false)).toEqual({ act: "span", direction: -1 });
  });
  it("leave others to the page", () => expect(timelineAct(press("?"))).toBeUndefined());
});
