// A timesheet as the rows and columns of one table, in either layout.
import { formatDecimal, formatNumber } from "../../../core/i18n/format";
import type { SheetColumn, SheetDay, Timesheet } from "../../../core/api/schema";
import { t, type Label } from "../../../core/i18n/translate.svelte";
import { firstOfWeek, type IsoDate, type Period, type WeekStart } from "../../../core/time/period";

export interface CellLink {
  readonly period: Period;
  readonly date: IsoDate;
  /** Index of its column; undefined for all. */
  readonly column?: number;
}

export interface SheetCell {
  readonly text: string;
  readonly kind: "name" | "text" | "number";
  /** Private text. */
  readonly isPrivate?: boolean;
  readonly link?: CellLink;
  /** What it is on a phone: left out, next to the name, or on the same line as its total. Others have a line each. */
  readonly part?: "aside" | "total" | "key";
}

export interface SheetTable {
  readonly head: readonly SheetCell[];
  /** Rows that belong together stay together on paper. */
  readonly groups: readonly (readonly (readonly SheetCell[])[])[];
  readonly foot: readonly (readonly SheetCell[])[];
}

/** How dates and times are formatted. */
export interface Words {
  date(day: SheetDay): string;
  time(moment: string): string;
  /** The header of a day, week or month that starts on this date. */
  span(date: IsoDate, unit: Unit): string;
}

export type Unit = "day" | "week" | "month";

/** What rounding each entry does to the total, if the server warns of it: "Rounding each entry adds 9.6 h: 17.4 h → 27.0 h." */
export function roundingWarning({
  warning,
  totals,
}: Pick<Timesheet, "warning" | "totals">): string | undefined {
  if (warning === undefined) return undefined;
  const tenths = (seconds: number) => `${formatDecimal(seconds / 3600, 1)} h`;
  const by = totals.rounded - totals.seconds;
  const values = {
    by: tenths(Math.abs(by)),
    seconds: tenths(totals.seconds),
    rounded: tenths(totals.rounded),
  };
  return by > 0 ? t("reports.roundingAdds", values) : t("reports.roundingRemoves", values);
}

export function hours(seconds: number): string {
  return formatDecimal(seconds / 3600, 2);
}

export function money(amount: number): string {
  return formatNumber(amount, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

const name = (text: string, rest: Partial<SheetCell> = {}): SheetCell => ({ text, kind: "name", ...rest });
const word = (text: string, rest: Partial<SheetCell> = {}): SheetCell => ({ text, kind: "text", ...rest });
const number = (text: string, link?: CellLink): SheetCell => ({
  text,
  kind: "number",
  ...(link ? { link } : {}),
});
const aside = (text: string): SheetCell => ({ ...number(text), part: "aside" });
const total = (text: string, link?: CellLink): SheetCell => ({ ...number(text, link), part: "total" });

export function sheetTable(sheet: Timesheet, lines: "days" | "keys", words: Words): SheetTable {
  if (lines === "keys") return byKey(sheet, words);
  return sheet.is_listed ? listed(sheet, words) : byDay(sheet, words);
}

// The columns of days and their names are those of the server's CSV and HTML (insight/timesheet/render.py).

/** One row per day, one column per key. */
function byDay(sheet: Timesheet, words: Words): SheetTable {
  const { columns, days } = sheet;
  const head = dayHead(
    sheet,
    columns.map((column) => keyHead(sheet, column)),
    t("common.total"),
  );
  const rows = days.map((day) =>
    dayRow(
      sheet,
      day,
      words,
      columns.map((_, column) => {
        const entry = day.entries.find((each) => each.column === column);
        return entry ? number(hours(entry.rounded), dayLink(day, column)) : number("");
      }),
    ),
  );
  const foot = dayFoot(
    sheet,
    columns.map((column) => number(hours(column.rounded))),
  );
  return { head, groups: [rows], foot: [foot] };
}

/** The entries of a day below each other, for many keys. */
function listed(sheet: Timesheet, words: Words): SheetTable {
  const { columns, days } = sheet;
  const groups = days.map((day) => [
    dayRow(sheet, day, words, [word("")]),
    ...day.entries.map((entry) => [
      name(""),
      ...[1, 2, 3].map(() => number("")),
      word(columnName(sheet, columns[entry.column]), { isPrivate: sheet.by === "title", part: "key" }),
      ...sums(sheet, entry, { link: dayLink(day, entry.column) }),
    ]),
  ]);
  return {
    head: dayHead(sheet, [word(FIELD_HEADS[sheet.by]())], t("common.hours")),
    groups,
    foot: [dayFoot(sheet, [word("")])],
  };
}

function dayHead(sheet: Timesheet, keys: readonly SheetCell[], total: string): SheetCell[] {
  const [hasAmount, hasNotes] = extras(sheet);
  return [
    name(t("common.date")),
    number(t("reports.first")),
    number(t("reports.last")),
    number(t("reports.breaks")),
    ...keys,
    number(total),
    ...(isRounded(sheet) ? [number(t("reports.notRounded"))] : []),
    ...(hasAmount ? [number(amountHead(sheet))] : []),
    ...(hasNotes ? [word(t("common.notes"))] : []),
  ];
}

function dayRow(sheet: Timesheet, day: SheetDay, words: Words, keys: readonly SheetCell[]): SheetCell[] {
  return [
    name(words.date(day), { link: dayLink(day) }),
    aside(words.time(day.first)),
    aside(words.time(day.last)),
    breakCell(day),
    ...keys,
    ...sums(sheet, day, { link: dayLink(day), notes: (day.notes ?? []).join("; ") }),
  ];
}

function dayFoot(sheet: Timesheet, keys: readonly SheetCell[]): SheetCell[] {
  const { totals } = sheet;
  return [
    name(t("common.total")),
    number(""),
    number(""),
    breakCell(totals),
    ...keys,
    ...sums(sheet, totals),
  ];
}

function breakCell({ breaks }: Pick<SheetDay, "breaks">): SheetCell {
  return aside(breaks.count ? hours(breaks.seconds) : "");
}

interface Sums {
  readonly rounded: number;
  readonly seconds: number;
  readonly amount?: number;
}

/** The cells after the keys: the time, the time that was not rounded, the amount and the notes. */
function sums(
  sheet: Timesheet,
  { rounded, seconds, amount }: Sums,
  { link, notes = "" }: { link?: CellLink; notes?: string } = {},
): SheetCell[] {
  const [hasAmount, hasNotes] = extras(sheet);
  return [
    total(hours(rounded), link),
    ...(isRounded(sheet) ? [number(hours(seconds))] : []),
    ...(hasAmount ? [number(money(amount ?? 0))] : []),
    ...(hasNotes ? [word(notes, { isPrivate: true })] : []),
  ];
}

function isRounded({ rules }: Timesheet): boolean {
  return rules.round !== "none";
}

/** One row per key, one column per day, week or month, so that there are not too many. */
function byKey(sheet: Timesheet, words: Words): SheetTable {
  const { columns, days, totals } = sheet;
  const [hasAmount] = extras(sheet);
  const unit = unitFor(days);
  const starts = [...new Set(days.map((day) => spanStart(day.date, unit, sheet.range.week_start)))];
  const inSpan = (start: IsoDate) =>
    days.filter((day) => spanStart(day.date, unit, sheet.range.week_start) === start);
  const ends = ({ rounded, seconds, amount }: Sums) => [
    total(hours(rounded)),
    ...(isRounded(sheet) ? [number(hours(seconds))] : []),
    ...(hasAmount ? [number(money(amount ?? 0))] : []),
  ];
  const head = [
    name(FIELD_HEADS[sheet.by]()),
    ...starts.map((start) => number(words.span(start, unit))),
    number(t("common.total")),
    ...(isRounded(sheet) ? [number(t("reports.notRounded"))] : []),
    ...(hasAmount ? [number(amountHead(sheet))] : []),
  ];
  const rows = columns.map((column, place) => [
    name(columnName(sheet, column), { isPrivate: sheet.by === "title" }),
    ...starts.map((start) => {
      const entries = inSpan(start).flatMap((day) => day.entries.filter((entry) => entry.column === place));
      const rounded = entries.reduce((sum, entry) => sum + entry.rounded, 0);
      return entries.length
        ? number(hours(rounded), { period: unit, date: start, column: place })
        : number("");
    }),
    ...ends(column),
  ]);
  const foot = [
    name(t("common.total")),
    ...starts.map((start) => number(hours(inSpan(start).reduce((all, day) => all + day.rounded, 0)))),
    ...ends(totals),
  ];
  return { head, groups: [rows], foot: [foot] };
}

const FIELD_HEADS: Record<Timesheet["by"], Label> = {
  category: () => t("common.category"),
  project: () => t("common.project"),
  app: () => t("common.app"),
  title: () => t("common.title"),
  label: () => t("reports.label"),
};

/** The unit of the columns, so that they fit on paper. */
export function unitFor(days: readonly Pick<SheetDay, "date">[]): Unit {
  const [first, last] = [days[0]?.date, days.at(-1)?.date];
  if (!first || !last || days.length <= 10) return "day";
  const long = (Date.parse(last) - Date.parse(first)) / 86_400_000;
  return long < 7 * 9 ? "week" : "month";
}

/** The first date of the day, week or month of a date. */
export function spanStart(date: IsoDate, unit: Unit, weekStart: WeekStart): IsoDate {
  if (unit === "day") return date;
  if (unit === "month") return `${date.slice(0, 7)}-01`;
  return firstOfWeek(date, weekStart);
}

/** The table as lines with tabs between the cells, for spreadsheets and text documents. */
export function tableText({ head, groups, foot }: SheetTable): string {
  const line = (cells: readonly SheetCell[]) =>
    cells
      .map((cell) => cell.text.replace(/[\t\r\n]+/g, " "))
      // As in the files, formulas are escaped. Our own numbers never start like one.
      .map((text) => (/^[=+\-@]/.test(text) ? `'${text}` : text))
      .join("\t");
  return [head, ...groups.flat(), ...foot].map(line).join("\n");
}

function extras(sheet: Timesheet): [boolean, boolean] {
  return [sheet.totals.amount !== undefined, sheet.days.some((day) => (day.notes ?? []).length > 0)];
}

function keyHead(sheet: Timesheet, column: SheetColumn): SheetCell {
  return { text: columnName(sheet, column), kind: "number", isPrivate: sheet.by === "title" };
}

/** The key as text, as the server names it; time without a key in the language of the page. */
function columnName({ by, columns }: Timesheet, column: SheetColumn | undefined): string {
  if (!column) return "";
  if (column.key === null) return NO_KEY[by]();
  if (by !== "category" || typeof column.key === "string") return column.name;
  const path = column.key;
  if (path.length === 1 && path[0] === "Uncategorized") return t("common.uncategorized");
  return isParent(columns, path) ? t("common.itself", { category: path.join("/") }) : column.name;
}

/** Whether a category has others below it in the sheet: then its column has only its own time. */
export function isParent(
  columns: readonly { readonly key: string | readonly string[] | null }[],
  path: readonly string[],
): boolean {
  return columns.some(
    ({ key }) =>
      key !== null &&
      typeof key !== "string" &&
      key.length > path.length &&
      path.every((name, place) => key[place] === name),
  );
}

const NO_KEY: Record<Timesheet["by"], Label> = {
  category: () => t("common.uncategorized"),
  project: () => t("reports.noProject"),
  app: () => t("reports.noApp"),
  title: () => t("common.noTitle"),
  label: () => t("reports.noLabel"),
};

function amountHead(sheet: Timesheet): string {
  return t("reports.amount", { currency: sheet.currency }).trim();
}

function dayLink(day: SheetDay, column?: number): CellLink {
  return { period: "day", date: day.date, ...(column === undefined ? {} : { column }) };
}
