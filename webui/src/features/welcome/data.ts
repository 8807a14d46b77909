// What a new server offers: data to import, watchers to install, and demo data.
import { api, body } from "../../core/api/client";
import { queryClient } from "../../core/api/queries";
import type { JobView } from "../../core/api/schema";

interface Signal {
  signal: AbortSignal;
}

export const firstRunQueries = {
  welcome: () => ({
    queryKey: ["buckets", "welcome"],
    queryFn: ({ signal }: Signal) => body(api.GET("/api/1/welcome", { signal })),
    // The stream reports new recordings; that a watcher has stopped shows only as time passes.
    refetchInterval: 30_000,
  }),
  /** Only the newest job of each kind matters. The stream reports progress; polling is for when there is no stream. */
  jobs: () => ({
    queryKey: ["jobs", "list"],
    queryFn: ({ signal }: Signal) => body(api.GET("/api/1/jobs", { signal })),
    refetchInterval: ({ state }: { state: { data?: { jobs: readonly JobView[] } } }) =>
      state.data?.jobs.some((job) => job.state === "running") ? 1000 : false,
  }),
};

/** Import a database that was found. Returns the job, and the ids of the buckets that were here before. */
export async function migrate(path: string): Promise<{ job: JobView; before: readonly string[] }> {
  const before = Object.keys(await body(api.GET("/api/0/buckets/")));
  const job = await body(api.POST("/api/1/migrations", { body: { path } }));
  await queryClient.invalidateQueries({ queryKey: ["jobs"] });
  return { job, before };
}

/** The demo ends with yesterday, so that there is always a full day to look at. */
export async function addDemo(zone: string): Promise<void> {
  await body(api.POST("/api/1/demo", { body: { days: 30, full_days: true, time_zone: zone } }));
  await queryClient.invalidateQueries({ queryKey: ["jobs"] });
}

/** The job when it has ended. */
export async function waitForJob(job: JobView): Promise<JobView> {
  let current = job;
  while (current.state === "running") {
    const params = { path: { job_id: current.id }, query: { wait_s: 25 } };
    current = await body(api.GET("/api/1/jobs/{job_id}", { params }));
  }
  return current;
}

/** Remove the demo data and its categories; the returned function undoes that. */
export async function removeDemo(): Promise<() => Promise<void>> {
  const removed = await body(api.DELETE("/api/1/demo"));
  await queryClient.invalidateQueries();
  return async () => {
    for (const id of removed.undo)
      await body(api.POST("/api/1/undo/{undo_id}", { params: { path: { undo_id: id } } }));
    await queryClient.invalidateQueries();
  };
}

export async function cancelJob(id: string): Promise<void> {
  await body(api.DELETE("/api/1/jobs/{job_id}", { params: { path: { job_id: id } } }));
  await queryClient.invalidateQueries({ queryKey: ["jobs"] });
}
