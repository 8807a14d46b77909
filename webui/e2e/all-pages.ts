/** Every page, where one needs it with what makes it show something. */
export const PAGES = [
  "today",
  "timeline",
  "trends?period=year",
  "review",
  "categories",
  "search?q=report",
  "reports?period=month",
  "query",
  "buckets",
  "access",
  "backups",
  "settings",
];

/** Other forms of pages, and parts of them that have an address of their own. */
export const PARTS = [
  "today?period=week",
  "trends?period=month&table=bars&table=hours",
  ...["appearance", "keyboard", "privacy", "goals", "projects", "devices", "data", "server"].map(
    (section) => `settings/${section}`,
  ),
  "buckets/aw-watcher-window_laptop",
  ...["trash", "import", "export", "doctor", "space"].map((tab) => `buckets?tab=${tab}`),
];
