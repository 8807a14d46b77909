// What a key does while the timeline has the focus.

export type TimelineAct =
  | { readonly act: "span"; readonly direction: 1 | -1 }
  | { readonly act: "lane"; readonly direction: 1 | -1 }
  | { readonly act: "extend"; readonly direction: 1 | -1 }
  | { readonly act: "pan"; readonly direction: 1 | -1 }
  | { readonly act: "zoom"; readonly direction: 1 | -1 }
  | { readonly act: "edge"; readonly direction: 1 | -1 }
  | { readonly act: "open" | "edit" | "note" | "delete" | "leave" };

interface Press {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly isComposing: boolean;
}

/** Undefined for keys that are not the timeline's: with Ctrl, ⌘ or Alt they are the browser's. */
export function timelineAct(press: Press, hasLetters = true): TimelineAct | undefined {
  if (press.ctrlKey || press.metaKey || press.altKey || press.isComposing) return undefined;
  const named = NAMED[press.key];
  if (named) return press.shiftKey && named.act === "span" ? { ...named, act: "extend" } : named;
  return hasLetters && press.key.length === 1 ? LETTERS[press.key.toLowerCase()] : undefined;
}

const NAMED: Readonly<Record<string, TimelineAct>> = {
  ArrowLeft: { act: "span", direction: -1 },
  ArrowRight: { act: "span", direction: 1 },
  ArrowUp: { act: "lane", direction: -1 },
  ArrowDown: { act: "lane", direction: 1 },
  Home: { act: "edge", direction: -1 },
  End: { act: "edge", direction: 1 },
  Enter: { act: "open" },
  Delete: { act: "delete" },
  Escape: { act: "leave" },
};

const LETTERS: Readonly<Record<string, TimelineAct>> = {
  a: { act: "pan", direction: -1 },
  d: { act: "pan", direction: 1 },
  w: { act: "zoom", direction: 1 },
  s: { act: "zoom", direction: -1 },
  "+": { act: "zoom", direction: 1 },
  "=": { act: "zoom", direction: 1 },
  "-": { act: "zoom", direction: -1 },
  "−": { act: "zoom", direction: -1 },
  e: { act: "edit" },
  c: { act: "note" },
};
