// What the page of the day asks for besides sums.
import { api, body } from "./client";
import type { GoalProgress, NewAnnotation, NewGoal } from "./schema";

interface Signal {
  signal: AbortSignal;
}

export interface GoalsQuery {
  readonly date?: string;
  readonly tz?: string;
}

export const todayQueries = {
  progress: (query: GoalsQuery) => ({
    queryKey: ["data", "goals", query],
    queryFn: ({ signal }: Signal) => body(api.GET("/api/1/goals/progress", { params: { query }, signal })),
  }),
  goals: () => ({
    queryKey: ["goals"],
    queryFn: ({ signal }: Signal) => body(api.GET("/api/1/goals", { signal })),
  }),
  welcome: () => ({
    queryKey: ["buckets", "welcome"],
    queryFn: ({ signal }: Signal) => body(api.GET("/api/1/welcome", { signal })),
  }),
};

export type GoalState = GoalProgress["state"];
export type GoalDraft = Omit<NewGoal, "is_on">;
export type AnnotationDraft = Pick<
  NewAnnotation,
  "kind" | "start" | "end" | "device" | "label" | "category" | "note"
>;
