// Operations of this page that can be undone, from their toast or with Ctrl Z.
import { api, body } from "./client";
import { queryClient } from "./queries";

export interface Done {
  /** What was done, in the past tense: "Deleted 14 events". */
  readonly what: string;
  readonly undo: () => Promise<void>;
}

const done: Done[] = [];

export function remember(act: Done): void {
  done.push(act);
  if (done.length > 50) done.shift();
}

/** The undo id from the server. */
export function undoById(what: string, id: number): Done {
  return {
    what,
    undo: async () => {
      await body(api.POST("/api/1/undo/{undo_id}", { params: { path: { undo_id: id } } }));
      await queryClient.invalidateQueries();
    },
  };
}

/** Undo an operation; it can be undone only once. */
export async function undo(act: Done): Promise<void> {
  const place = done.indexOf(act);
  if (place >= 0) done.splice(place, 1);
  await act.undo();
}

export function latestAct(): Done | undefined {
  return done.at(-1);
}
