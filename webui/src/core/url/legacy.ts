// URLs of ActivityWatch's web UI redirect to the page that shows the same.
import { formatHash, parseHash } from "./route";

const PERIOD_OF: Record<string, string> = { day: "day", week: "week", month: "month", year: "year" };

/** Our hash for an old one; null if the hash is not an old one. */
export function legacyHash(hash: string): string | null {
  const { path } = parseHash(hash);
  const [page, first, second, third] = path;
  switch (page) {
    case "home":
      return formatHash(["today"]);
    case "activity":
      return activity(first, second, third);
    case "buckets":
      return null; // the same in both: #/buckets/<id>
    case "timeline":
      return null;
    case "rawdata":
      return formatHash(["buckets"]);
    case "stopwatch":
      return formatHash(["today"], new URLSearchParams({ timer: "new" }));
    case "work-report":
    case "report":
      return formatHash(["reports"]);
    case "alerts":
      return formatHash(["settings", "goals"]);
    case "trends":
      return first ? formatHash(["trends"]) : null;
    case "category-builder":
      return formatHash(["categories"]);
    case "settings":
      return first === "category-builder" ? formatHash(["categories"]) : null;
    case "search":
      return null;
    case "query":
      return null;
    default:
      return null;
  }
}

function activity(host: string | undefined, period: string | undefined, date: string | undefined): string {
  const params = new URLSearchParams();
  const known = PERIOD_OF[period ?? ""];
  if (known && known !== "day") params.set("period", known);
  if (date && /^\d{4}-\d{2}-\d{2}$/.test(date)) params.set("date", date);
  if (host && host !== "unknown") params.set("device", host);
  return formatHash(["today"], params);
}
