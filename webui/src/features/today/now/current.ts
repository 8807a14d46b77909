// Whether the last window of a device counts as its current one.
import type { DeviceNow } from "../../../core/api/schema";

const DAY_MS = 86_400_000;

/** It is recording, or recorded within a day and is not expected to record now. */
export function isCurrent(device: DeviceNow, now: number): boolean {
  if (device.is_recording) return true;
  if (device.last_seen === null || device.health === "silent") return false;
  return now - Date.parse(device.last_seen) < DAY_MS;
}
