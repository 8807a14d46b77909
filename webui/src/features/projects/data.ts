// Projects: read and saved as one list, because the first one that matches counts.
import { api, body, tagged } from "../../core/api/client";
import { queryClient } from "../../core/api/queries";
import type { ProjectList, ProjectView as Project } from "../../core/api/schema";

export type { Project };
type Undo = () => Promise<void>;

export interface ReadProjects {
  readonly value: Omit<ProjectList, "projects"> & { readonly projects: readonly Project[] };
  readonly etag: string | null;
}

export const projectQueries = {
  all: () => ({
    queryKey: ["projects"],
    queryFn: ({ signal }: { signal: AbortSignal }): Promise<ReadProjects> =>
      tagged(api.GET("/api/1/projects", { signal })),
  }),
  /** The time of each project in the last 30 days, if these were the projects. */
  preview: (projects: readonly Project[]) => ({
    queryKey: ["data", "projects preview", projects],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      body(
        api.POST("/api/1/projects/preview", {
          params: { query: { period: "last-30-days" } },
          body: { projects: [...projects] },
          signal,
        }),
      ),
  }),
};

/** Replace the list that was read; the undo restores it. Throws if another client changed it since. */
export async function saveProjects(read: ReadProjects, projects: readonly Project[]): Promise<Undo> {
  const put = async (list: readonly Project[], etag: string | null) => {
    await body(
      api.PUT("/api/1/projects", {
        params: { header: etag ? { "If-Match": etag } : {} },
        body: { projects: [...list] },
      }),
    );
    await queryClient.invalidateQueries({ queryKey: ["projects"] });
    await queryClient.invalidateQueries({ queryKey: ["data"] });
  };
  await put(projects, read.etag);
  return () => put(read.value.projects, null);
}
