// Dates as users type them: "yesterday", "last friday", "5 mar", "march 2025", "2026-03-05", "tue 15:00", "2 weeks ago".
import { t } from "../../core/i18n/translate.svelte";
import { monthAndYear, weekdayName } from "../../core/time/names";
import { addDays, isIsoDate, shift, type IsoDate, type Period } from "../../core/time/period";

export interface NamedDay {
  readonly label: string;
  readonly period: Period;
  /** Undefined for the current one. */
  readonly date: IsoDate | undefined;
}

const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const MONTHS = "january february march april may june july august september october november december".split(
  " ",
);

/** The days and periods that a text names, relative to today; [] if there are none. */
export function daysInWords(text: string, today: IsoDate): NamedDay[] {
  const typed = text.trim().toLowerCase();
  if (typed.length < 2) return [];
  const words = inEnglish(typed);
  const fixed: [string, string, Period, IsoDate | undefined][] = [
    ["today", t("common.today"), "day", undefined],
    ["yesterday", t("time.yesterday"), "day", addDays(today, -1)],
    ["this week", t("common.thisWeek"), "week", undefined],
    ["last week", t("common.lastWeek"), "week", addDays(today, -7)],
    ["this month", t("common.thisMonth"), "month", undefined],
    ["last month", t("common.lastMonth"), "month", addDays(`${today.slice(0, 8)}01`, -1)],
    ["this year", t("common.thisYear"), "year", undefined],
    ["last year", t("common.lastYear"), "year", addDays(`${today.slice(0, 5)}01-01`, -1)],
  ];
  const named = fixed
    .filter(([name, label]) => name.startsWith(words) || label.toLowerCase().startsWith(typed))
    .map(([, label, period, date]) => ({ label, period, date }));
  const read = exactDate(words, today) ?? weekday(words, today) ?? month(words, today);
  return read ? [...named, read] : named;
}

export interface NamedMoment {
  readonly date: IsoDate;
  /** Local time as "15:00"; undefined for the whole day. */
  readonly time: string | undefined;
}

/** A time or a distance in the past, such as "tue 15:00", "last tuesday 3pm", "15:00" or "2 weeks ago". */
export function momentInWords(text: string, today: IsoDate): NamedMoment | undefined {
  const words = inEnglish(text.trim().toLowerCase().replace(/\s+/g, " "));
  const ago = timeAgo(words, today);
  if (ago) return { date: ago, time: undefined };
  const match = /^(.*?)(?:^|,? )(?:at )?(\d{1,2})(?::([0-5]\d))? ?(am|pm)?$/.exec(words);
  const [, day = "", hourText = "", minutes, half] = match ?? [];
  if (!match || (minutes === undefined && half === undefined)) return undefined;
  const hour = half ? (Number(hourText) % 12) + (half === "pm" ? 12 : 0) : Number(hourText);
  if (hour > 23 || (half && (Number(hourText) < 1 || Number(hourText) > 12))) return undefined;
  const date = dateInWords(day, today);
  return date === undefined ? undefined : { date, time: `${pad(hour)}:${minutes ?? "00"}` };
}

function dateInWords(words: string, today: IsoDate): IsoDate | undefined {
  if (words === "" || words === "today") return today;
  if (words === "yesterday") return addDays(today, -1);
  const found = exactDate(words, today) ?? weekday(words, today);
  return found?.period === "day" ? found.date : timeAgo(words, today);
}

function timeAgo(words: string, today: IsoDate): IsoDate | undefined {
  const match = /^(\d{1,4}|an?|one|two|three) (day|week|month|year)s? ago$/.exec(words);
  if (!match) return undefined;
  const [, amount = "", unit = "day"] = match;
  const count = { a: 1, an: 1, one: 1, two: 2, three: 3 }[amount] ?? Number(amount);
  return shift(today, unit as Period, -count);
}

function exactDate(words: string, today: IsoDate): NamedDay | undefined {
  if (isIsoDate(words)) return { label: words, period: "day", date: words };
  if (/^\d{4}$/.test(words)) return { label: words, period: "year", date: `${words}-01-01` };
  // The month must be a word, so that it cannot be confused with the day.
  const match =
    /^(\d{1,2})\.? ([a-z]{3,})(?: (\d{4}))?$/.exec(words) ??
    /^([a-z]{3,}) (\d{1,2})(?:,? (\d{4}))?$/.exec(words);
  if (!match) return undefined;
  const [day, name] = /^\d/.test(match[1] ?? "") ? [match[1], match[2]] : [match[2], match[1]];
  const place = MONTHS.findIndex((each) => each.startsWith(name ?? "?"));
  if (place < 0) return undefined;
  const written = (year: string) => `${year}-${pad(place + 1)}-${pad(Number(day))}`;
  let date = written(match[3] ?? today.slice(0, 4));
  if (!match[3] && date > today) date = written(String(Number(today.slice(0, 4)) - 1));
  return isIsoDate(date) ? { label: date, period: "day", date } : undefined;
}

function weekday(words: string, today: IsoDate): NamedDay | undefined {
  const name = words.replace(/^last /, "");
  const place = name.length < 3 ? -1 : WEEKDAYS.findIndex((each) => each.startsWith(name));
  if (place < 0) return undefined;
  const here = new Date(`${today}T00:00:00Z`).getUTCDay();
  const back = (here - place + 7) % 7 || 7;
  const label = t("time.lastWeekday", { weekday: weekdayName(place, "long") });
  return { label, period: "day", date: addDays(today, -back) };
}

function month(words: string, today: IsoDate): NamedDay | undefined {
  const match = /^([a-z]{3,})(?: (\d{4}))?$/.exec(words);
  const place = match ? MONTHS.findIndex((each) => each.startsWith(match[1] as string)) : -1;
  if (place < 0) return undefined;
  let year = Number(match?.[2] ?? today.slice(0, 4));
  if (!match?.[2] && `${year}-${pad(place + 1)}-01` > today) year -= 1;
  const date = `${year}-${pad(place + 1)}-01`;
  return { label: monthAndYear(date, "UTC"), period: "month", date };
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}

/** What was typed, with the words of the page's language replaced by the English ones; a word may be abbreviated. */
function inEnglish(words: string): string {
  const known = t("time.typedWords")
    .split(" ")
    .map((pair) => pair.split("=") as [string, string]);
  if (known.length < 2) return words;
  const replaced = words
    .split(" ")
    .map((word) => {
      const found =
        known.find(([own]) => own === word) ??
        known.find(([own]) => word.replace(/\.$/, "").length >= 2 && own.startsWith(word.replace(/\.$/, "")));
      return found ? found[1] : word;
    })
    .filter(Boolean)
    .join(" ");
  return replaced.replace(/^ago (.+)$/, "$1 ago");
}
