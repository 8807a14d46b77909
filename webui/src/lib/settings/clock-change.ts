// When the clocks of a zone change next, so that nobody wonders about a day of 23 hours.

const DAY = 86_400_000;
const MINUTE = 60_000;

export interface ClockChange {
  /** The moment at which the clocks change, in milliseconds since 1970. */
  readonly at: number;
  /** How many hours the day of the change has. */
  readonly hours: number;
}

/** The next change within a year; undefined where the clocks stay as they are. */
export function nextClockChange(zone: string, now: number): ClockChange | undefined {
  const before = offset(zone, now);
  for (let day = 1; day <= 370; day++) {
    const after = offset(zone, now + day * DAY);
    if (after === before) continue;
    let [low, high] = [now + (day - 1) * DAY, now + day * DAY];
    while (high - low > MINUTE) {
      const middle = Math.floor((low + high) / 2 / MINUTE) * MINUTE;
      if (middle <= low) break;
      if (offset(zone, middle) === before) low = middle;
      else high = middle;
    }
    return { at: high, hours: 24 - (after - before) / 60 };
  }
  return undefined;
}

/** How many minutes the clocks of a zone are before UTC. */
function offset(zone: string, moment: number): number {
  const parts = new Map(
    new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
    })
      .formatToParts(new Date(moment))
      .map((part) => [part.type, Number(part.value)]),
  );
  const get = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
  const wall = Date.UTC(get("year"), get("month") - 1, get("day"), get("hour"), get("minute"));
  return Math.round((wall - Math.floor(moment / MINUTE) * MINUTE) / MINUTE);
}
