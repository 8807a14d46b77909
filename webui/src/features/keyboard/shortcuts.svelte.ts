// Shortcuts that work on every page.
import { preferences } from "../../core/api/preferences.svelte";
import { latestAct } from "../../core/api/undo.svelte";
import { t, type Label } from "../../core/i18n/translate.svelte";
import { now } from "../../core/time/clock";
import { isTyping, keyName, Sequence } from "../../core/keys";
import { changeView, shown } from "../../core/url/current-view.svelte";
import { go, location } from "../../core/url/location.svelte";
import type { Period } from "../../core/time/period";
import { undoAndSay } from "../../kit/overlays/toasts.svelte";
import { dialogs, typeEarly } from "./dialogs.svelte";
import { goToNow, nextComparison, step } from "../period/moves";
import { pageNamed, PAGES } from "../../core/url/pages";
import { screen } from "../../kit/display/screen.svelte";

export interface Shortcut {
  readonly keys: string;
  readonly what: Label;
  readonly run: () => void;
  /** Only on pages with the context bar. */
  readonly inView?: boolean;
}

const period = (name: Period) => () => changeView({ period: name, date: shown.date, range: undefined });

/** With Ctrl or ⌘: these work even if single-letter keys are off. */
export const CHORDS: readonly Shortcut[] = [
  { keys: "Ctrl k", what: () => t("shell.searchOrJump"), run: () => (dialogs.palette = true) },
  {
    keys: "Ctrl z",
    what: () => t("common.undo"),
    run: () => {
      const act = latestAct();
      if (act) void undoAndSay(act);
      else void import("../trash/newest").then(({ offerNewest }) => offerNewest());
    },
  },
];

export const LETTERS: readonly Shortcut[] = [
  { keys: "/", what: () => t("common.search"), run: () => go(["search"]) },
  { keys: "?", what: () => t("shell.keyboardShortcuts"), run: () => (dialogs.help = true) },
  { keys: "d", what: () => t("common.day"), run: period("day"), inView: true },
  { keys: "w", what: () => t("common.week"), run: period("week"), inView: true },
  { keys: "m", what: () => t("common.month"), run: period("month"), inView: true },
  { keys: "y", what: () => t("common.year"), run: period("year"), inView: true },
  { keys: "[", what: () => t("shell.previousPeriod"), run: () => step(-1), inView: true },
  { keys: "]", what: () => t("shell.nextPeriod"), run: () => step(1), inView: true },
  { keys: "n", what: () => t("common.nowTitle"), run: goToNow, inView: true },
  { keys: "x", what: () => t("shell.changeTheComparison"), run: nextComparison, inView: true },
  { keys: "f", what: () => t("common.addFilter"), run: () => (dialogs.filter = true), inView: true },
  {
    keys: "Shift B",
    what: () => t("shell.hideTitlesAndUrlsForScreenSharing"),
    run: () => screen.toggleTitles(),
  },
  ...PAGES.map((page) => ({
    keys: `g ${page.key}`,
    what: page.label,
    run: () => go([page.name]),
  })),
];

/** Handle the shortcuts until the returned function is called. */
export function listenForKeys(): () => void {
  const named = Object.fromEntries([...CHORDS, ...LETTERS].map((shortcut) => [shortcut.keys, shortcut.keys]));
  const sequence = new Sequence(named);
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.repeat) return;
    const key = keyName(event);
    if (key === undefined) return;
    if (dialogs.palette && !isInWindow()) {
      // It is loading: letters are for its text field, and not for the page.
      if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) {
        typeEarly(event.key);
        event.preventDefault();
      }
      return;
    }
    const isChord = key.startsWith("Ctrl ");
    if (!isChord && (!preferences.value.single_letter_keys || isTyping(event.target) || isInWindow())) return;
    // In a text field, Ctrl Z undoes typing.
    if (key === "Ctrl z" && isTyping(event.target)) return;
    const found = sequence.press(key, now());
    if (!found) return;
    const shortcut = [...CHORDS, ...LETTERS].find((each) => each.keys === found);
    if (!shortcut || (shortcut.inView && !pageNamed(location.page)?.hasView)) return;
    event.preventDefault();
    shortcut.run();
  };
  window.addEventListener("keydown", onKey);
  return () => window.removeEventListener("keydown", onKey);
}

function isInWindow(): boolean {
  return document.querySelector("dialog[open], :popover-open") !== null;
}
