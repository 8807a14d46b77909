// Changes to events: shown on the timeline at once, rolled back if the server refuses, and undoable.
import {
  changeEvent,
  deleteEvent,
  deleteSelected,
  splitEvent,
  type EventPatch,
  type ReadEvent,
  type Selected,
} from "../data";
import { queryClient } from "../../../core/api/queries";
import { newGroup } from "../../../core/api/undo.svelte";
import { t } from "../../../core/i18n/translate.svelte";
import { parseMoment } from "../../../timeline/engine/viewport/address";
import type { TimelineStore } from "../../../timeline/store.svelte";
import type { Edit, Span } from "../../../timeline/engine/spans/model";
import { moment } from "../../../timeline/engine/viewport/viewport";
import { say, sayDone, sayFailed } from "../../../kit/overlays/toasts.svelte";

interface Times {
  readonly start: number;
  readonly end: number;
}

export function timesOf({ event }: ReadEvent): Times {
  return { start: parseMoment(event.timestamp), end: parseMoment(event.end) };
}

/** Show the change, send it, and roll it back if that fails. Returns whether it worked. */
async function optimistically(
  store: TimelineStore,
  edits: readonly Edit[],
  failed: string,
  act: () => Promise<void>,
): Promise<boolean> {
  const takeBack = edits.map((edit) => store.edit(edit));
  const all = () => takeBack.forEach((each) => each());
  try {
    await act();
  } catch (error) {
    all();
    sayFailed(failed, error);
    return false;
  }
  // The optimistic change is dropped when the server's data arrives.
  void Promise.all([store.refresh().finally(all), queryClient.invalidateQueries({ queryKey: ["data"] })]);
  return true;
}

/** The span of an event as it will be. */
function spanOf(store: TimelineStore, read: ReadEvent, times: Times): Span {
  const now = store.find({ lane: read.event.bucket, id: read.event.id, start: timesOf(read).start })?.span;
  const base = now ?? { key: -1, cat: -1, title: -1, n: 1, cover: 1, share: 1, id: read.event.id };
  return { ...base, ...times };
}

export function removeEvent(store: TimelineStore, read: ReadEvent): Promise<boolean> {
  const { bucket, id } = read.event;
  return optimistically(
    store,
    [{ lane: bucket, hides: (span) => span.id === id, added: [] }],
    t("common.couldNotDeleteTheEvent"),
    async () => sayDone(t("common.eventDeleted"), (await deleteEvent(read)).undo),
  );
}

/** Throws if another client changed the event, so that both versions can be shown. */
export async function saveEvent(store: TimelineStore, read: ReadEvent, patch: EventPatch): Promise<void> {
  const { bucket, id } = read.event;
  const before = timesOf(read);
  const start = patch.timestamp ? parseMoment(patch.timestamp) : before.start;
  const end = patch.end ? parseMoment(patch.end) : before.end;
  const takeBack = store.edit({
    lane: bucket,
    hides: (span) => span.id === id,
    added: [spanOf(store, read, { start, end })],
  });
  try {
    const { undo } = await changeEvent(read, patch);
    if (undo === null) say(t("common.nothingChanged"));
    else sayDone(t("common.eventChanged"), undo);
  } catch (error) {
    takeBack();
    throw error;
  }
  void Promise.all([
    store.refresh().finally(takeBack),
    queryClient.invalidateQueries({ queryKey: ["data"] }),
  ]);
}

export function splitAt(store: TimelineStore, read: ReadEvent, at: number): Promise<boolean> {
  const { bucket, id } = read.event;
  const { start, end } = timesOf(read);
  return optimistically(
    store,
    [
      {
        lane: bucket,
        hides: (span) => span.id === id,
        added: [
          spanOf(store, read, { start, end: at }),
          { ...spanOf(store, read, { start: at, end }), id: -1 },
        ],
      },
    ],
    t("events.couldNotSplitTheEvent"),
    async () => sayDone(t("common.eventSplit"), (await splitEvent(read, moment(at))).undo),
  );
}

/** Delete the selected events of each bucket; one undo restores all of them. */
export function removeSelected(store: TimelineStore, selected: readonly Selected[]): Promise<boolean> {
  return optimistically(
    store,
    selected.map((each) => ({ lane: each.bucket, hides: hiderOf(each), added: [] })),
    t("common.couldNotDeleteTheEvents"),
    async () => {
      const { headers, undo } = newGroup();
      let count = 0;
      let isUndoable = false;
      try {
        for (const each of selected) {
          const done = await deleteSelected(each, false, { headers });
          count += done.events;
          isUndoable ||= done.undo !== null;
        }
      } catch (error) {
        // All or nothing: restore what was already deleted.
        if (isUndoable) await undo();
        throw error;
      }
      if (isUndoable) sayDone(t("common.deletedEvents", { count }), undo);
      else say(t("events.thereWasNothingToDelete"));
    },
  );
}

/** The spans that are gone at once; those that are cut stay until the server's data arrives. */
function hiderOf({ start, end, edge }: Selected): (span: Span) => boolean {
  const [from, to] = [parseMoment(start), parseMoment(end)];
  return (span) =>
    edge === "cut" ? span.start >= from && span.end <= to : span.start < to && span.end > from;
}
