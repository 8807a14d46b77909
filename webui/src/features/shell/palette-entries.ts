// The entries of the palette for the typed text.
import { daysInWords } from "../../lib/text/dates-in-words";
import { matchRank } from "../../lib/text/match";
import { pathLabel, pathText } from "../../lib/text/paths";
import type { IsoDate } from "../../lib/time/period";
import { changeView } from "../../lib/url/current-view.svelte";
import { go } from "../../lib/url/location.svelte";
import { viewSearch } from "../../lib/url/view";
import { pageNamed, PAGES } from "./pages";

export interface Entry {
  readonly id: string;
  readonly group: string;
  readonly label: string;
  readonly keys?: string;
  readonly run: () => void;
}

interface Action {
  readonly label: string;
  readonly keys?: string;
  readonly run: () => void;
}

interface Known {
  readonly typed: string;
  readonly page: string;
  readonly today: IsoDate;
  readonly categories: readonly (readonly string[])[];
  readonly apps: readonly string[];
  readonly actions: readonly Action[];
}

const AT_MOST = 6; // per group, so that other groups stay visible

export function paletteEntries(known: Known): Entry[] {
  const { typed } = known;
  const pages = PAGES.map((page) => entry("Pages", page.label, () => go([page.name]), `g ${page.key}`));
  const actions = known.actions.map((action) => entry("Actions", action.label, action.run, action.keys));
  const days = daysInWords(typed, known.today).map((day) =>
    entry("Days", day.label, () =>
      show({ period: day.period, date: day.date, range: undefined }, known.page),
    ),
  );
  if (typed.trim() === "") return [...pages, ...actions];
  const categories = known.categories.map((path) =>
    entry("Categories", pathLabel(path), () =>
      show({ filters: [{ field: "category", operator: "under", value: pathText(path) }] }, known.page),
    ),
  );
  const apps = known.apps.map((app) =>
    entry("Apps", app, () => show({ filters: [{ field: "app", operator: "is", value: app }] }, known.page)),
  );
  const search = entry("Search", `Search for “${typed.trim()}”`, () =>
    go(["search"], new URLSearchParams({ q: typed.trim() })),
  );
  const found = [pages, actions, categories, apps].flatMap((entries) => best(entries, typed));
  return [...days, ...found, search];
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

/** Change the view of the current page if it has one, else open Today. */
function show(changes: Parameters<typeof changeView>[0], page: string): void {
  if (pageNamed(page)?.hasView) changeView(changes);
  else go(["today"], viewSearch(changes));
}
