// The entries of the palette for the typed text.
import { t } from "../../core/i18n/translate.svelte";
import { daysInWords, momentInWords, type NamedMoment } from "./dates-in-words";
import { matchRank } from "../../core/text/match";
import { pathLabel, pathText } from "../../core/text/paths";
import { fromField } from "../../core/time/fields/minute-fields";
import { dayLabel, type IsoDate } from "../../core/time/period";
import { changeView } from "../../core/url/current-view.svelte";
import { go } from "../../core/url/location.svelte";
import { viewSearch } from "../../core/url/view";
import type { Command } from "../../core/commands";
import { pageNamed, PAGES } from "../../core/url/pages";

export interface Entry {
  readonly id: string;
  readonly group: string;
  readonly label: string;
  readonly keys?: string;
  readonly run: () => void;
}

interface Known {
  readonly typed: string;
  readonly page: string;
  readonly today: IsoDate;
  readonly zone: string;
  readonly categories: readonly (readonly string[])[];
  readonly apps: readonly string[];
  readonly projects: readonly string[];
  readonly commands: readonly Command[];
}

const AT_MOST = 6; // per group, so that other groups stay visible
const AROUND = 60 * 60_000; // what the timeline shows before and after a time

export function paletteEntries(known: Known): Entry[] {
  const { typed } = known;
  const pages = PAGES.map((page) =>
    entry(t("shell.pages"), page.label(), () => go([page.name]), `g ${page.key}`),
  );
  const commands = known.commands.map((each) =>
    entry(each.group ?? t("common.actions"), each.label, each.run, each.keys),
  );
  const days = daysInWords(typed, known.today).map((day) =>
    entry(t("common.days"), day.label, () =>
      show({ period: day.period, date: day.date, range: undefined }, known.page),
    ),
  );
  // Before anything is typed, groups of the settings would be too long.
  const first = [t("views.savedViews"), t("common.actions")];
  if (typed.trim() === "") return [...pages, ...commands.filter(({ group }) => first.includes(group))];
  const moment = momentInWords(typed, known.today);
  const timeline = moment ? [timelineEntry(moment, known.zone)] : [];
  const categories = known.categories.map((path) =>
    entry(t("common.categories"), pathLabel(path), () =>
      show({ filters: [{ field: "category", operator: "under", value: pathText(path) }] }, known.page),
    ),
  );
  const apps = known.apps.map((app) =>
    entry(t("common.apps"), app, () =>
      show({ filters: [{ field: "app", operator: "is", value: app }] }, known.page),
    ),
  );
  const projects = known.projects.map((project) =>
    entry(t("common.projects"), project, () =>
      show({ filters: [{ field: "project", operator: "is", value: project }] }, known.page),
    ),
  );
  const search = entry(t("common.search"), t("shell.searchFor", { typed: typed.trim() }), () =>
    go(["search"], new URLSearchParams({ q: typed.trim() })),
  );
  const found = [pages, commands, categories, projects, apps].flatMap((entries) => best(entries, typed));
  return [...timeline, ...days, ...found, search];
}

function best(entries: readonly Entry[], typed: string): Entry[] {
  return entries
    .map((each) => ({ each, rank: matchRank(each.label, typed) }))
    .filter((ranked): ranked is { each: Entry; rank: number } => ranked.rank !== undefined)
    .sort((one, other) => one.rank - other.rank)
    .slice(0, AT_MOST)
    .map((ranked) => ranked.each);
}

function entry(group: string, label: string, run: () => void, keys?: string): Entry {
  return { id: `${group}: ${label}`, group, label, run, keys };
}

/** Open the timeline on a day, or around a time. */
function timelineEntry({ date, time }: NamedMoment, zone: string): Entry {
  const label = [dayLabel(date), ...(time ? [time] : [])].join(", ");
  const at = time === undefined ? undefined : fromField(`${date}T${time}`, zone);
  const written = (moment: number) => new Date(moment).toISOString();
  const changes =
    at === undefined
      ? { period: "day" as const, date }
      : { range: { start: written(at - AROUND), end: written(at + AROUND) } };
  return entry(t("common.timeline"), t("shell.openTheTimelineAt", { label }), () =>
    go(["timeline"], viewSearch(changes)),
  );
}

/** Change the view of the current page if it has one, else open Today. */
function show(changes: Parameters<typeof changeView>[0], page: string): void {
  if (pageNamed(page)?.hasView) changeView(changes);
  else go(["today"], viewSearch(changes));
}
