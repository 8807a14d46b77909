// Page components, loaded when they are first needed.
import type { Component } from "svelte";
import { allTexts } from "../core/i18n/translate.svelte";

interface PageModule {
  readonly default: Component;
}
type Loader = () => Promise<PageModule>;

const LOADERS: Readonly<Record<string, Loader>> = {
  today: () => import("../features/today/TodayPage.svelte"),
  timeline: () => import("../features/events/TimelinePage.svelte"),
  trends: () => import("../features/trends/TrendsPage.svelte"),
  review: () => import("../features/review/ReviewPage.svelte"),
  categories: () => import("../features/categories/CategoriesView.svelte"),
  search: () => import("../features/search/SearchView.svelte"),
  reports: () => import("../features/reports/ReportsPage.svelte"),
  query: () => import("../features/query/QueryPage.svelte"),
  buckets: () => import("../features/buckets/BucketsPage.svelte"),
  access: () => import("../features/access/AccessPage.svelte"),
  backups: () => import("../features/backups/Backups.svelte"),
  settings: () => import("../features/settings/SettingsPage.svelte"),
  welcome: () => import("../features/welcome/WelcomePage.svelte"),
  custom: () => import("./CustomPage.svelte"),
};

const notFound: Loader = () => import("./NotFound.svelte");

/** Loads a page with its texts: those of Today are there from the start. */
export function loaderOf(page: string): Loader {
  const load = LOADERS[page] ?? notFound;
  if (page === "today") return load;
  return async () => {
    const [code] = await Promise.all([load(), allTexts()]);
    return code;
  };
}
