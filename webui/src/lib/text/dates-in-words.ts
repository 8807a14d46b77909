// Days as people type them: "yesterday", "last friday", "5 mar", "march 2025", "2026-03-05", "week 12".
import { addDays, isIsoDate, type IsoDate, type Period } from "../time/period";

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

/** What a text means, read on a day; [] where it is no day. */
export function daysInWords(text: string, today: IsoDate): NamedDay[] {
  const words = text.trim().toLowerCase();
  if (words.length < 2) return [];
  const fixed: [string, Period, IsoDate | undefined][] = [
    ["today", "day", undefined],
    ["yesterday", "day", addDays(today, -1)],
    ["this week", "week", undefined],
    ["last week", "week", addDays(today, -7)],
    ["this month", "month", undefined],
    ["last month", "month", addDays(`${today.slice(0, 8)}01`, -1)],
    ["this year", "year", undefined],
    ["last year", "year", addDays(`${today.slice(0, 5)}01-01`, -1)],
  ];
  const named = fixed
    .filter(([name]) => name.startsWith(words))
    .map(([name, period, date]) => ({ label: capital(name), period, date }));
  const read = exactDate(words, today) ?? weekday(words, today) ?? month(words, today);
  return read ? [...named, read] : named;
}

function exactDate(words: string, today: IsoDate): NamedDay | undefined {
  if (isIsoDate(words)) return { label: words, period: "day", date: words };
  if (/^\d{4}$/.test(words)) return { label: words, period: "year", date: `${words}-01-01` };
  // The month is a word, or else days and months could be confused.
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
  return { label: `Last ${capital(WEEKDAYS[place] as string)}`, period: "day", date: addDays(today, -back) };
}

function month(words: string, today: IsoDate): NamedDay | undefined {
  const match = /^([a-z]{3,})(?: (\d{4}))?$/.exec(words);
  const place = match ? MONTHS.findIndex((each) => each.startsWith(match[1] as string)) : -1;
  if (place < 0) return undefined;
  let year = Number(match?.[2] ?? today.slice(0, 4));
  if (!match?.[2] && `${year}-${pad(place + 1)}-01` > today) year -= 1;
  return {
    label: `${capital(MONTHS[place] as string)} ${year}`,
    period: "month",
    date: `${year}-${pad(place + 1)}-01`,
  };
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
