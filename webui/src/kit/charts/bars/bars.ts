// Bars of time: axis steps that suit hours, and the parts of a bar.
import { t } from "../../../core/i18n/translate.svelte";
import type { Path } from "../../../core/color/palette";
import { keyLabel } from "../../../core/categories/tree";
import { shortDay } from "../../../core/time/zone";

const HOUR = 3600;
const STEPS = [300, 600, 900, 1800, HOUR, 2 * HOUR, 4 * HOUR, 6 * HOUR, 8 * HOUR, 12 * HOUR, 24 * HOUR];

/** Seconds at which lines are drawn, from 0 to at least `most`: five at most. */
export function hourSteps(most: number): number[] {
  const step = STEPS.find((each) => most / each <= 4) ?? Math.ceil(most / 4 / (24 * HOUR)) * 24 * HOUR;
  const count = Math.max(1, Math.ceil(most / step));
  return Array.from({ length: count + 1 }, (_, place) => place * step);
}

export interface Part {
  readonly label: string;
  /** undefined for all others combined. */
  readonly category: Path | undefined;
  /** The app, if the bars are by app. */
  readonly app?: string;
  readonly isOther?: boolean;
  readonly seconds: number;
}

export interface Bar {
  readonly start: string;
  readonly end: string;
  readonly total: number;
  /** Non-empty parts, in the order of the keys. */
  readonly parts: readonly Part[];
}

interface Series {
  readonly edges: readonly string[];
  readonly keys: readonly (string | readonly string[])[];
  readonly parents?: readonly (readonly string[])[];
  readonly values: readonly (readonly number[])[];
  readonly other: readonly number[];
  readonly total: readonly number[];
}

export function barsOf({ edges, keys, parents, values, other, total }: Series): Bar[] {
  return total.map((sum, bin) => {
    const parts: Part[] = keys.map((key, place) => ({
      label: typeof key === "string" ? key : keyLabel(key, parents),
      category: typeof key === "string" ? undefined : key,
      ...(typeof key === "string" ? { app: key } : {}),
      seconds: values[place]?.[bin] ?? 0,
    }));
    parts.push({ label: t("common.other"), category: undefined, isOther: true, seconds: other[bin] ?? 0 });
    return {
      start: edges[bin] ?? "",
      end: edges[bin + 1] ?? "",
      total: sum,
      parts: parts.filter((part) => part.seconds > 0),
    };
  });
}

const LETTER = 6.5; // pixels, of the small text below an axis
const GAP = 8;

/** The labels of equal parts of a width, without those that would overlap the previous one. */
export function apart(labels: readonly string[], width: number): string[] {
  const part = width / Math.max(1, labels.length);
  let end = -Infinity;
  return labels.map((label, place) => {
    if (!label) return "";
    const [middle, half] = [(place + 0.5) * part, (label.length * LETTER) / 2];
    if (middle - half < end + GAP) return "";
    end = middle + half;
    return label;
  });
}

/** The label below a day: of a month its first day and every fifth, of more days every tenth; never two side by side. */
export function dayTick(start: string, place: number, count: number, zone: string): string {
  if (count > 31) return place % 10 === 0 ? shortDay(start, zone) : "";
  const day = Number(start.slice(8, 10));
  if (place === 0 || (day === 1 && place > 2)) return shortDay(start, zone);
  return day % 5 === 0 && place > 2 ? String(day) : "";
}
