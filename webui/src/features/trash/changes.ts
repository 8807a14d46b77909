// The list of changes: one for each operation, or for several that were made together.
import type { TrashItem } from "../../core/api/schema";
import { language, t } from "../../core/i18n/translate.svelte";
import { dateAndTime, datesAndTimes, isoDate, timeOfDay } from "../../core/time/zone";
import { actText } from "./acts";

export interface Change {
  readonly key: string;
  /** The latest operation first. */
  readonly items: readonly TrashItem[];
  /** Empty if it is a single operation. */
  readonly group: string;
  readonly made: string;
  readonly by: string;
  /** "Deleted 12:00 – 12:55, 262 events in 5 buckets" */
  readonly text: string;
  readonly buckets: readonly string[];
}

/** The changes in a zone, the newest first. */
export function changesOf(items: readonly TrashItem[], zone: string): Change[] {
  const groups = new Map<string, TrashItem[]>();
  for (const item of items) {
    const key = item.group || String(item.id);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return [...groups].flatMap(([key, of]) => {
    const [latest] = of;
    if (!latest) return [];
    return {
      key,
      items: of,
      group: latest.group,
      made: latest.made,
      by: latest.by,
      text: changeText(of, zone),
      buckets: [...new Set(of.map(({ bucket }) => bucket))].filter(Boolean),
    };
  });
}

function changeText(items: readonly TrashItem[], zone: string): string {
  const [latest] = items;
  if (!latest) return "";
  const events = items.reduce((sum, { events }) => sum + events, 0);
  const what = actText({ ...latest, events });
  const starts = items.flatMap(({ start }) => start ?? []).sort();
  const ends = items.flatMap(({ end }) => end ?? []).sort();
  const [start, end] = [starts[0], ends.at(-1)];
  return [
    what,
    start && end ? rangeOf(start, end, zone) : "",
    items.length > 1 ? t("changes.inBuckets", { count: items.length }) : "",
  ]
    .filter(Boolean)
    .join(", ");
}

function rangeOf(start: string, end: string, zone: string): string {
  return start === end ? dateAndTime(start, zone) : datesAndTimes(start, end, zone);
}

/** "Today 09:12", "17 Nov 2026, 09:12" */
export function whenText(made: string, zone: string, now: number): string {
  return isoDate(made, zone) === isoDate(now, zone)
    ? t("changes.today", { time: timeOfDay(made, zone) })
    : dateAndTime(made, zone);
}

/** Who made a change: "in the browser", "by a command", the name of a key or a client. */
export function byText(by: string): string {
  if (by === "browser") return t("changes.browser");
  if (by === "command") return t("changes.command");
  return by;
}

/** The changes that have every typed word in their text, their buckets or who made them. */
export function findChanges(changes: readonly Change[], typed: string): Change[] {
  const words = typed.toLocaleLowerCase(language.locale).split(/\s+/).filter(Boolean);
  return changes.filter((change) => {
    const text = [change.text, byText(change.by), ...change.buckets]
      .join(" ")
      .toLocaleLowerCase(language.locale);
    return words.every((word) => text.includes(word));
  });
}
