// Page components, loaded when they are first needed.
import type { Component } from "svelte";

type Loader = () => Promise<{ default: Component }>;

const LOADERS: Readonly<Record<string, Loader>> = {
  today: () => import("./Today.svelte"),
  timeline: () => import("./Timeline.svelte"),
  trends: () => import("./Trends.svelte"),
  review: () => import("./Review.svelte"),
  categories: () => import("./Categories.svelte"),
  search: () => import("./Search.svelte"),
  reports: () => import("./Reports.svelte"),
  query: () => import("./Query.svelte"),
  buckets: () => import("./Buckets.svelte"),
  access: () => import("./Access.svelte"),
  backups: () => import("./Backups.svelte"),
  settings: () => import("./Settings.svelte"),
  welcome: () => import("./Welcome.svelte"),
  custom: () => import("./Custom.svelte"),
};

const notFound: Loader = () => import("./NotFound.svelte");

export function loaderOf(page: string): Loader {
  return LOADERS[page] ?? notFound;
}
