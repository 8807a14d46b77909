// The next clock change of a zone, to explain a day of 23 or 25 hours.
import { offsetAt } from "../../../core/time/offset";
import type { IsoDate } from "../../../core/time/period";
import { dayOf } from "../../../core/time/zone";

const DAY = 86_400_000;
const HOUR = 3_600_000;
const MINUTE = 60_000;

export interface ClockChange {
  /** When the clocks change, in milliseconds since 1970. */
  readonly at: number;
  /** The day that is longer or shorter; one that starts at 04:00 contains a change at 02:00 of the next date. */
  readonly day: IsoDate;
  /** Length of that day in hours. */
  readonly hours: number;
}

/** The next change within a year; undefined if there is none. */
export function nextClockChange(zone: string, dayStart: string, now: number): ClockChange | undefined {
  const before = offsetAt(now, zone);
  for (let day = 1; day <= 370; day++) {
    const after = offsetAt(now + day * DAY, zone);
    if (after === before) continue;
    let [low, high] = [now + (day - 1) * DAY, now + day * DAY];
    while (high - low > MINUTE) {
      const middle = Math.floor((low + high) / 2 / MINUTE) * MINUTE;
      if (middle <= low) break;
      if (offsetAt(middle, zone) === before) low = middle;
      else high = middle;
    }
    return { at: high, day: dayOf(high - 1, zone, dayStart), hours: 24 - (after - before) / HOUR };
  }
  return undefined;
}
