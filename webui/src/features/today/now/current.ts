// Whether the last window of a device is its current one.
import type { DeviceNow } from "../../../core/api/schema";

/** As the server: what it has heard from for so long is recording. Its answer may be older. */
const CURRENT_MS = 180_000;

/** Whether it recorded just now. */
export function isCurrent(device: DeviceNow, now: number): boolean {
  return device.last_seen !== null && now - Date.parse(device.last_seen) < CURRENT_MS;
}
