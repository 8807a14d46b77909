// Buckets grouped by device.
import type { BucketState } from "../../../core/api/schema";
import { t } from "../../../core/i18n/translate.svelte";
import { isNote } from "../../search/hits/hit-text";

export interface DeviceGroup {
  readonly device: string;
  readonly isThis: boolean;
  /** All of it is demo data. */
  readonly isDemo: boolean;
  readonly buckets: readonly BucketState[];
  readonly events: number;
  readonly last: string | null;
}

/** This device first, then by last recording; within a device silent buckets first, then by size. */
export function byDevice(buckets: readonly BucketState[], thisDevice: string): DeviceGroup[] {
  const found = new Map<string, BucketState[]>();
  for (const bucket of buckets) {
    // Notes belong to no device.
    const device = isNote(bucket.type) ? t("common.notes") : bucket.device;
    found.set(device, [...(found.get(device) ?? []), bucket]);
  }
  return [...found]
    .map(([device, own]) => ({
      device,
      isThis: device === thisDevice,
      isDemo: own.every((bucket) => bucket.is_demo),
      buckets: own.sort(
        (a, b) =>
          Number(b.health === "silent") - Number(a.health === "silent") ||
          b.events - a.events ||
          a.id.localeCompare(b.id),
      ),
      events: own.reduce((sum, bucket) => sum + bucket.events, 0),
      last: latest(own),
    }))
    .sort((a, b) => Number(b.isThis) - Number(a.isThis) || moment(b.last) - moment(a.last));
}

/** Whether buckets of this type record one program, such as a browser or an editor. */
export function isWithin(type: string): boolean {
  return /^(web\.|app\.editor)/.test(type);
}

export function isAmong(bucket: BucketState, words: string): boolean {
  const text = `${bucket.id} ${bucket.type} ${bucket.client} ${bucket.device} ${bucket.aliases.join(" ")}`;
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.toLowerCase().includes(word));
}

function latest(buckets: readonly BucketState[]): string | null {
  return buckets.reduce<string | null>(
    (last, bucket) => (moment(bucket.last) > moment(last) ? bucket.last : last),
    null,
  );
}

function moment(text: string | null): number {
  return text === null ? -Infinity : Date.parse(text);
}
