// Whether what a device showed last is worth showing as what it shows.
import type { DeviceNow } from "../../api/schema";

const DAY_MS = 86_400_000;

/** It records, or recorded within a day and is not expected to record at the moment. */
export function isCurrent(device: DeviceNow, now: number): boolean {
  if (device.is_recording) return true;
  if (device.last_seen === null || device.health === "silent") return false;
  return now - Date.parse(device.last_seen) < DAY_MS;
}
