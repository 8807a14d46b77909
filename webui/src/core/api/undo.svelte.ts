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

/** The header for calls that are one change together, and its undo. */
export function newGroup(): { group: string; headers: Record<string, string>; undo: () => Promise<void> } {
  // Not crypto.randomUUID: pages over plain HTTP do not have it.
  const group = Array.from(crypto.getRandomValues(new Uint32Array(3)), (part) => part.toString(36)).join("");
  return { group, headers: { "Undo-Group": group }, undo: () => undoGroup(group) };
}

export async function undoGroup(group: string): Promise<void> {
  await body(api.POST("/api/1/undo/groups/{group}", { params: { path: { group } } }));
  await queryClient.invalidateQueries();
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
