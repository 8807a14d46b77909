// The hour labels below a strip. Because of clock changes and zones with odd offsets, local times are looked up,
// never computed.
import { clockOf } from "../../../core/time/zone";

export interface Tick {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly hour: number;
  /** Two digits: "08". */
  readonly label: string;
}

const QUARTER = 15 * 60_000;

/** Every full local hour that is a multiple of `every`, from the start to before the end. */
export function hourTicks(start: number, end: number, zone: string, every: number): Tick[] {
  const ticks: Tick[] = [];
  for (let at = Math.ceil(start / QUARTER) * QUARTER; at < end; at += QUARTER) {
    const { hour, minute } = clockOf(at, zone);
    // An hour that occurs twice is marked once.
    if (minute === 0 && hour % every === 0 && ticks.at(-1)?.hour !== hour)
      ticks.push({ at, hour, label: String(hour).padStart(2, "0") });
  }
  return ticks;
}
