// Timesheets and saved reports.
import { formatFilter, type Filter, type View } from "../../core/url/view";
import { api, BASE, body } from "../../core/api/client";
import { queries, rangeQuery, type Query } from "../../core/api/queries";
import type { Timesheet } from "../../core/api/schema";

export type SheetQuery = Query<"/api/1/reports/timesheet">;

export const reportQueries = {
  timesheet: (query: SheetQuery) => ({
    queryKey: ["data", "timesheet", query],
    // The same endpoint also returns files as text; this format returns JSON.
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      body(
        api.GET("/api/1/reports/timesheet", { params: { query: { ...query, format: "json" } }, signal }),
      ) as Promise<Timesheet>,
  }),
  /** Today's date on the server, which knows when the day starts. */
  today: (tz: string) => ({
    queryKey: ["today", tz],
    staleTime: 60_000,
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<string> => {
      const day = await queries.series({ period: "today", bin: "day", top: 1, tz }).queryFn({ signal });
      return day.range.start.slice(0, 10);
    },
  }),
  kept: () => ({
    queryKey: ["reports"],
    queryFn: ({ signal }: { signal: AbortSignal }) => body(api.GET("/api/1/reports", { signal })),
  }),
  /** How much remains without each filter: which of them removed everything? */
  withoutFilters: (view: View) => ({
    queryKey: ["data", "without-filters", rangeQuery(view)],
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Without> => {
      const active = async (changes: Partial<View>) =>
        (
          await queries
            .summary({ ...rangeQuery({ ...view, ...changes }), by: "category", limit: 1 })
            .queryFn({ signal })
        ).totals.active;
      const [all, devices, ...rest] = await Promise.all([
        active({ filters: [], devices: [] }),
        view.devices.length ? active({ devices: [] }) : 0,
        ...view.filters.map((filter) =>
          active({ filters: view.filters.filter((each) => formatFilter(each) !== formatFilter(filter)) }),
        ),
      ]);
      const filters = view.filters.map((filter, place) => ({ filter, seconds: rest[place] ?? 0 }));
      return { all, devices, filters };
    },
  }),
};

/** How much time there would be without each filter, without the device selection, and without both. */
export interface Without {
  readonly all: number;
  readonly devices: number;
  readonly filters: readonly { readonly filter: Filter; readonly seconds: number }[];
}

/** The URL of a timesheet as a file. */
export function sheetAddress(query: SheetQuery, format: "csv" | "html"): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, format }))
    for (const each of Array.isArray(value) ? value : [value]) params.append(name, String(each));
  return `${BASE}/api/1/reports/timesheet?${params}`;
}
