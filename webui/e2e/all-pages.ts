/** Every page, where one needs it with what makes it show something. */
export const PAGES = [
  "today",
  "timeline",
  "trends?period=year",
  "categories",
  "search?q=report",
  "reports?period=month",
  "query",
  "buckets",
  "access",
  "backups",
  "settings",
];
