import type { SearchHit } from "../../api/schema";
import { hrefOf } from "../shell/address";

/** One text for a hit: by its latest event, which is in no other. */
export function hitKey(hit: SearchHit): string {
  return `${hit.event.id}@${hit.bucket}`;
}

const AROUND = 15 * 60_000;

/** The timeline with the hit's latest event in its middle, and open. */
export function timelineOf(hit: SearchHit): string {
  const start = Date.parse(hit.event.timestamp);
  const end = start + hit.event.duration * 1000;
  const half = Math.max(AROUND, (end - start) * 1.5);
  const middle = (start + end) / 2;
  const moment = (value: number) => new Date(value).toISOString();
  return hrefOf(
    "timeline",
    {
      range: { start: moment(middle - half), end: moment(middle + half) },
      date: undefined,
      period: "day",
      filters: [],
      devices: [],
      compare: undefined,
    },
    { event: hitKey(hit) },
  );
}
