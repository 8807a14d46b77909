// The text of spans: for labels, tooltips and screen readers.
import { formatNumber } from "../../../core/i18n/format";
import { t } from "../../../core/i18n/translate.svelte";
import { pathLabel } from "../../../core/text/paths";
import { duration, spokenDuration } from "../../../core/time/duration";
import { dayName, isoDate, shortDay, timeOfDay, timeWithSeconds } from "../../../core/time/zone";
import { DAYS, laneName } from "./layout";
import type { Lane, Span, Texts } from "../spans/model";
import type { Viewport } from "../viewport/viewport";

/** The app, site or file of a span. */
function shownText(lane: Pick<Lane, "type">, span: Pick<Span, "key">, texts: Texts): string {
  const text = texts.keys[span.key];
  if (lane.type === "afkstatus")
    return text === "not-afk" ? t("timeline.atTheDevice") : t("common.awayTitle");
  return text ?? "";
}

export interface SpanText {
  /** The title, or the app, site or file of a span without one. */
  readonly title: string;
  /** The app or site under the title. */
  readonly app: string;
}

export function spanText(
  lane: Pick<Lane, "type">,
  span: Pick<Span, "key" | "title">,
  texts: Texts,
): SpanText {
  const [app, title] = [shownText(lane, span, texts), texts.titles[span.title] ?? ""];
  return title === "" || title === app ? { title: app, app: "" } : { title, app };
}

/** The two lines of a label. File names are shown without their folders. */
export function labelText(type: string, text: SpanText, n: number): SpanText {
  const isFile = type !== "afkstatus" && /^(\/|[A-Za-z]:\\)/.test(text.title);
  const short = isFile
    ? (text.title.split(/[\\/]/).findLast((part) => part !== "") ?? text.title)
    : text.title;
  return { title: n > 1 ? `${short} ×${formatNumber(n)}`.trim() : short, app: text.app };
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

/** The day of a column, or the days of a wider one: "Mon, 9 Nov 2026". */
export function daysText({ start, end }: Viewport, zone: string): string {
  return end - start > 1.5 * 86_400_000
    ? `${shortDay(start, zone)} – ${shortDay(end - 1, zone)}`
    : dayName(start, zone);
}

/** Everything about a span in one sentence, for screen readers; without its title if titles are hidden. */
export function spoken(lane: Lane, span: Span, texts: Texts, zone: string, hidesTitles = false): string {
  if (lane === DAYS) {
    const active = spokenDuration((span.cover * (span.end - span.start)) / 1000);
    return `${daysText(span, zone)}, ${laneName(lane)}: ${active}`;
  }
  const text = spanText(lane, span, texts);
  const what = hidesTitles ? t("timeline.hidden") : text.title || t("common.noTitle");
  const where =
    lane.bucket === null
      ? laneName(lane)
      : t("timeline.laneOnDevice", { lane: laneName(lane), device: lane.device });
  return [
    span.n > 1 ? t("timeline.andOthersEvents", { what, count: span.n }) : what,
    hidesTitles ? "" : text.app,
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
  if (days < 60) return t("timeline.lengthDays", { amount: trimmed(days) });
  if (days < 700) return t("timeline.lengthMonths", { amount: trimmed(days / 30.44) });
  return t("timeline.lengthYears", { amount: trimmed(days / 365.25) });
}

function trimmed(value: number): string {
  return formatNumber(value, { maximumFractionDigits: 1 });
}
