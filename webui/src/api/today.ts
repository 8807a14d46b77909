// What Today fetches in addition to sums.
import { api, body } from "./client";

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
};
