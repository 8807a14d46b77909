// Spans in words: for labels, for the pointer and for screen readers.
import { pathLabel } from "../lib/text/paths";
import { duration, spokenDuration } from "../lib/time/duration";
import { dayName, isoDate, shortDay, timeOfDay, timeWithSeconds } from "../lib/time/zone";
import { laneName } from "./layout";
import type { Lane, Span, Texts } from "./model";
import type { Viewport } from "./viewport";

/** What a span shows, as a whole. */
export function shownText(lane: Lane, span: Pick<Span, "key">, texts: Texts): string {
  const text = texts.keys[span.key];
  if (lane.type === "afkstatus") return text === "not-afk" ? "At the device" : "Away";
  return text ?? "";
}

/** The same where there is little room: of a file its name is enough. */
export function labelText(type: string, text: string | undefined, n: number): string | undefined {
  if (text === undefined) return n > 1 ? `×${n.toLocaleString("en")}` : undefined;
  const short =
    type === "afkstatus"
      ? text === "not-afk"
        ? "At the device"
        : "Away"
      : /^(\/|[A-Za-z]:\\)/.test(text)
        ? (text.split(/[\\/]/).findLast((part) => part !== "") ?? text)
        : text;
  return n > 1 ? `${short} ×${n.toLocaleString("en")}` : short;
}

export function categoryText(span: Pick<Span, "cat">, texts: Texts): string {
  const path = texts.categories[span.cat];
  return path ? pathLabel(path) : "";
}

/** "09:30 – 10:05", with seconds where it is short and with dates where it is long. */
export function rangeText({ start, end }: Viewport, zone: string): string {
  if (isoDate(start, zone) !== isoDate(end - 1, zone))
    return end - start > 60 * 86_400_000
      ? `${dayName(start, zone)} – ${dayName(end, zone)}`
      : `${shortDay(start, zone)}, ${timeOfDay(start, zone)} – ${shortDay(end, zone)}, ${timeOfDay(end, zone)}`;
  const time = end - start < 600_000 ? timeWithSeconds : timeOfDay;
  return `${time(start, zone)} – ${time(end, zone)}`;
}

/** Everything about a span in one sentence; without what could be overheard where titles are hidden. */
export function spoken(lane: Lane, span: Span, texts: Texts, zone: string, hidesTitles = false): string {
  const what = hidesTitles ? "Hidden" : shownText(lane, span, texts) || "Nothing to show";
  const where = lane.bucket === null ? lane.device : `${laneName(lane)} on ${lane.device}`;
  return [
    span.n > 1 ? `${what} and others, ${span.n} events` : what,
    categoryText(span, texts),
    `${isoDate(span.start, zone)}, ${rangeText(span, zone)}`,
    spokenDuration((span.end - span.start) / 1000),
    where,
  ]
    .filter((part) => part !== "")
    .join(", ");
}

/** How much time is on the screen: "4h 00m", "3 days", "2 years". */
export function lengthText(milliseconds: number): string {
  const days = milliseconds / 86_400_000;
  if (days < 2) return duration(milliseconds / 1000);
  if (days < 60) return `${trimmed(days)} days`;
  if (days < 700) return `${trimmed(days / 30.44)} months`;
  return `${trimmed(days / 365.25)} years`;
}

function trimmed(value: number): string {
  return value.toFixed(1).replace(/\.0$/, "");
}
