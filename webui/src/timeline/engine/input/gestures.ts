// What pointers and wheels mean on the timeline. Pure: positions in, acts out.

export type GestureAct =
  | { readonly act: "hover"; readonly x: number; readonly y: number }
  | { readonly act: "select"; readonly from: number; readonly to: number; readonly isDone: boolean }
  | { readonly act: "pan"; readonly by: number }
  | { readonly act: "zoom"; readonly factor: number; readonly at: number }
  | { readonly act: "click"; readonly x: number; readonly y: number }
  | { readonly act: "settle" };

export interface PointerAt {
  readonly id: number;
  readonly x: number;
  readonly y: number;
  readonly isTouch: boolean;
  readonly altKey: boolean;
  readonly button: number;
}

interface WheelAt {
  readonly x: number;
  readonly deltaX: number;
  readonly deltaY: number;
  /** 0: pixels, 1: lines, 2: pages. */
  readonly deltaMode: number;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
}

const LINE = 16;
const PAGE = 400;
/** Less than this is a click with an unsteady hand. */
const STILL = 4;

/** A wheel zooms at the pointer; sideways, or with Shift, it moves. */
export function wheelAct(wheel: WheelAt): GestureAct | undefined {
  const unit = wheel.deltaMode === 1 ? LINE : wheel.deltaMode === 2 ? PAGE : 1;
  const [across, down] = [wheel.deltaX * unit, wheel.deltaY * unit];
  if (wheel.shiftKey) return { act: "pan", by: down || across };
  if (Math.abs(across) > Math.abs(down)) return { act: "pan", by: across };
  if (down === 0) return undefined;
  // A pinch on a touchpad comes as a wheel with Ctrl and small steps.
  const speed = wheel.ctrlKey ? 0.01 : 0.002;
  const bounded = Math.max(-300, Math.min(300, down));
  return { act: "zoom", factor: Math.exp(bounded * speed), at: wheel.x };
}

/** Follows pointers: one drags, two pinch. */
export class Pointers {
  #down = new Map<number, PointerAt>();
  #first: PointerAt | undefined;
  #mode: "none" | "still" | "select" | "pan" | "pinch" = "none";
  #selectsFrom = 0;

  get isBusy(): boolean {
    return this.#mode !== "none";
  }

  press(pointer: PointerAt): GestureAct[] {
    if (pointer.button > 1) return [];
    this.#down.set(pointer.id, pointer);
    if (this.#down.size === 2) {
      this.#mode = "pinch";
      return [];
    }
    if (this.#down.size > 2) return [];
    this.#first = pointer;
    this.#selectsFrom = pointer.x;
    this.#mode = "still";
    return [];
  }

  move(pointer: PointerAt): GestureAct[] {
    const before = this.#down.get(pointer.id);
    if (!before) return this.#mode === "none" ? [{ act: "hover", x: pointer.x, y: pointer.y }] : [];
    if (this.#mode === "pinch") return this.#pinch(before, pointer);
    if (this.#mode === "still") {
      const first = this.#first ?? before;
      if (Math.hypot(pointer.x - first.x, pointer.y - first.y) < STILL) return [];
      // A finger moves the timeline, as it moves everything else; a mouse selects unless Alt or the wheel is held.
      this.#mode = first.isTouch || first.altKey || first.button === 1 ? "pan" : "select";
    }
    this.#down.set(pointer.id, pointer);
    if (this.#mode === "pan") return [{ act: "pan", by: before.x - pointer.x }];
    if (this.#mode === "select")
      return [{ act: "select", from: this.#selectsFrom, to: pointer.x, isDone: false }];
    return [];
  }

  release(pointer: PointerAt): GestureAct[] {
    if (!this.#down.delete(pointer.id)) return [];
    const mode = this.#mode;
    if (this.#down.size > 0) {
      // One of two fingers is left, and continues to pan.
      if (mode === "pinch" && this.#down.size === 1) this.#mode = "pan";
      return [];
    }
    this.#mode = "none";
    if (mode === "still") return [{ act: "click", x: pointer.x, y: pointer.y }];
    if (mode === "select") return [{ act: "select", from: this.#selectsFrom, to: pointer.x, isDone: true }];
    return [{ act: "settle" }];
  }

  /** Something else took the pointer. */
  cancel(): void {
    this.#down.clear();
    this.#mode = "none";
  }

  #pinch(before: PointerAt, pointer: PointerAt): GestureAct[] {
    const other = [...this.#down.values()].find((each) => each.id !== pointer.id);
    this.#down.set(pointer.id, pointer);
    if (!other) return [];
    const [apart, now] = [Math.abs(before.x - other.x), Math.abs(pointer.x - other.x)];
    const [middle, moved] = [(before.x + other.x) / 2, (pointer.x + other.x) / 2];
    const acts: GestureAct[] = [{ act: "pan", by: middle - moved }];
    if (apart > 8 && now > 8) acts.push({ act: "zoom", factor: apart / now, at: moved });
    return acts;
  }
}
