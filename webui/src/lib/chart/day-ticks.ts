// The hours below a strip. Clocks are set twice a year and zones differ by quarters of an hour: so moments are asked
// what the clocks showed, and nothing is reckoned.
import { clockOf } from "../time/zone";

export interface Tick {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly hour: number;
  /** Two digits: "08". */
  readonly label: string;
}

const QUARTER = 15 * 60_000;

/** Every full hour of the clocks that is a multiple of `every`, from the start to before the end. */
export function hourTicks(start: number, end: number, zone: string, every: number): Tick[] {
  const ticks: Tick[] = [];
  for (let at = Math.ceil(start / QUARTER) * QUARTER; at < end; at += QUARTER) {
    const { hour, minute } = clockOf(at, zone);
    // An hour that the clocks show twice is marked once.
    if (minute === 0 && hour % every === 0 && ticks.at(-1)?.hour !== hour)
      ticks.push({ at, hour, label: String(hour).padStart(2, "0") });
  }
  return ticks;
}
