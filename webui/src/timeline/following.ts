// What makes a timeline request its tiles again.
import { createQuery } from "@tanstack/svelte-query";
import { listen } from "../core/api/stream/stream.svelte";
import { now } from "../core/time/clock";
import type { Viewport } from "./engine/viewport/viewport";

interface Followed {
  readonly viewport: Viewport;
  readonly msPerPixel: number;
  whenSettled(): Promise<void>;
  refresh(range?: Viewport): Promise<void>;
}

/** The number of timelines since the page was loaded. */
let timelines = 0;

/** Whatever invalidates all queries, such as an undo, also loads the tiles again. */
export function followQueries(timeline: Followed): void {
  let rounds = 0;
  // By number: a page that was left early must not share its pending request with the next one.
  const number = (timelines += 1);
  createQuery(() => ({
    queryKey: ["tiles", number],
    queryFn: async () => {
      rounds += 1;
      await (rounds === 1 ? timeline.whenSettled() : timeline.refresh());
      return rounds;
    },
    gcTime: 0,
  }));
}

/** While now is on the screen, load what is recorded, but no more often than a pixel changes. */
export function followStream(timeline: Followed): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const soon = () => {
    const { start, end } = timeline.viewport;
    if (now() < start || now() > end) return;
    timer ??= setTimeout(
      () => {
        timer = undefined;
        void timeline.refresh({ start: now() - 60_000, end: now() + 60_000 });
      },
      Math.min(60_000, Math.max(1000, timeline.msPerPixel)),
    );
  };
  const stops = [
    listen("revision", soon),
    listen("bucket", ({ change }) => (change === "recorded" ? soon() : void timeline.refresh())),
    listen("settings", () => void timeline.refresh()),
  ];
  return () => {
    clearTimeout(timer);
    for (const stop of stops) stop();
  };
}
