// Goals and their progress; each change returns a function that undoes it.
import { api, body, tagged } from "../../core/api/client";
import { preferences } from "../../core/api/preferences.svelte";
import { queryClient } from "../../core/api/queries";
import type { Goal, NewGoal } from "../../core/api/schema";
import type { View } from "../../core/url/view";

export type GoalFields = Omit<NewGoal, "is_on">;
type Undo = () => Promise<void>;

export const progressQuery = (query: { readonly date?: string; readonly tz?: string }) => ({
  queryKey: ["data", "goals", query],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    body(api.GET("/api/1/goals/progress", { params: { query }, signal })),
});

export const progressInView = ({ date }: View) =>
  progressQuery({ tz: preferences.zone, ...(date ? { date } : {}) });

/** A goal and its ETag. */
export function readGoal(id: number): Promise<{ value: Goal; etag: string | null }> {
  return tagged(api.GET("/api/1/goals/{goal_id}", { params: { path: { goal_id: id } } }));
}

export async function addGoal(fields: GoalFields): Promise<Undo> {
  const { id } = await body(api.POST("/api/1/goals", { body: { ...fields, is_on: true } }));
  await refresh();
  return async () => {
    await body(api.DELETE("/api/1/goals/{goal_id}", { params: { path: { goal_id: id } } }));
    await refresh();
  };
}

/** Change a goal; `etag` is the version it was read at, null to overwrite any version. */
export async function changeGoal(before: Goal, fields: Partial<Goal>, etag: string | null): Promise<Undo> {
  const patch = (changes: Partial<Goal>, tag: string | null) =>
    body(
      api.PATCH("/api/1/goals/{goal_id}", {
        params: { path: { goal_id: before.id }, header: tag ? { "If-Match": tag } : {} },
        body: changes,
      }),
    );
  await patch(fields, etag);
  await refresh();
  return async () => {
    const old = Object.fromEntries(Object.keys(fields).map((name) => [name, before[name as keyof Goal]]));
    await patch(old, null);
    await refresh();
  };
}

/** Delete a goal. The settings history restores it with its own id. */
export async function removeGoal(id: number): Promise<Undo> {
  const history = await body(
    api.GET("/api/1/settings/history", { params: { query: { key: "goals", limit: 1 } } }),
  );
  const number = history.changes[0]?.number;
  await body(api.DELETE("/api/1/goals/{goal_id}", { params: { path: { goal_id: id } } }));
  await refresh();
  return async () => {
    if (number !== undefined)
      await body(api.POST("/api/1/settings/history/{number}/restore", { params: { path: { number } } }));
    await refresh();
  };
}

async function refresh(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ["goals"] });
  await queryClient.invalidateQueries({ queryKey: ["data", "goals"] });
}
