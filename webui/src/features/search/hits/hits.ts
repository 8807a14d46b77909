import type { SearchHit } from "../../../core/api/schema";
import { hrefOf } from "../../../core/url/href";

/** A unique key of a hit: an event of an editor may be the latest one of several windows. */
export function hitKey(hit: SearchHit): string {
  return `${eventKey(hit)} ${hit.key ?? ""}`;
}

const eventKey = (hit: SearchHit) => `${hit.event.id}@${hit.bucket}`;

const AROUND = 15 * 60_000;

/** The URL of the timeline with the hit's latest event centerd and open. */
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
    { event: eventKey(hit) },
  );
}
