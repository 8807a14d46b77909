// Which devices and watchers should record but do not.
import type { BucketState, DeviceState } from "../../../core/api/schema";

export interface Recorders {
  /** Devices on which all watchers have stopped although they should record. */
  readonly stopped: readonly DeviceState[];
  /** Single watchers that have stopped on devices in use. */
  readonly silent: readonly BucketState[];
  readonly recording: readonly BucketState[];
  /** Watchers on recording devices that have nothing to record at the moment. */
  readonly idle: readonly BucketState[];
  /** Devices that are not expected to record: switched off, or imported. */
  readonly off: readonly DeviceState[];
}

export function recordersOf(buckets: readonly BucketState[], devices: readonly DeviceState[]): Recorders {
  const known = new Set(buckets.map((bucket) => bucket.device));
  const own = devices.filter((device) => known.has(device.device) && device.last !== null);
  const health = new Map(own.map((device) => [device.device, device.health]));
  return {
    stopped: own.filter((device) => device.health === "silent"),
    silent: buckets.filter((bucket) => bucket.health === "silent" && health.get(bucket.device) !== "silent"),
    recording: buckets.filter((bucket) => bucket.health === "recording"),
    idle: buckets.filter((bucket) => bucket.health === "quiet" && health.get(bucket.device) === "recording"),
    off: own.filter((device) => device.health === "quiet"),
  };
}
