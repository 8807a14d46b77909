// Keyboard shortcuts. Single letters work without modifiers and outside of text fields, and can be turned off.

export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly isComposing: boolean;
  readonly repeat: boolean;
}

/** The name of a key press: "k", "?", "Shift B", "Ctrl k" (⌘ on a Mac); undefined for what is never a shortcut. */
export function keyName(press: KeyPress): string | undefined {
  if (press.isComposing || press.altKey || press.key.length === 0) return undefined;
  if (press.ctrlKey || press.metaKey) return press.shiftKey ? undefined : `Ctrl ${press.key.toLowerCase()}`;
  if (press.key.length > 1) return undefined;
  return press.shiftKey && /\p{Lu}/u.test(press.key) ? `Shift ${press.key}` : press.key;
}

/** Takes keys one by one and returns the action of a key or of a sequence ("g t"); a pause ends a sequence. */
export class Sequence {
  #first = "";
  #since = 0;

  constructor(
    private readonly actions: Readonly<Record<string, string>>,
    private readonly pause = 1200,
  ) {}

  /** The action of this key, `null` if it starts a sequence, undefined if it does nothing. */
  press(key: string, now: number): string | null | undefined {
    const before = now - this.#since <= this.pause ? this.#first : "";
    this.#first = "";
    const both = before ? this.actions[`${before} ${key}`] : undefined;
    if (both) return both;
    if (Object.keys(this.actions).some((name) => name.startsWith(`${key} `))) {
      this.#first = key;
      this.#since = now;
      return null;
    }
    return this.actions[key];
  }
}

/** Whether the target is a text field, so that letters are text. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest("[contenteditable]:not([contenteditable=false])")) return true;
  const field = target.closest("input, textarea, select");
  if (!field) return false;
  return !(
    field instanceof HTMLInputElement && /^(checkbox|radio|button|range|color|submit)$/.test(field.type)
  );
}
