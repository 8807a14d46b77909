import { expect, it } from "vitest";
import type { BucketState } from "../../../core/api/schema";
import { byDevice, isAmong } from "./grouping";

function bucket(id: string, device: string, rest: Partial<BucketState> = {}): BucketState {
  return {
    id,
    device,
    type: "currentwindow",
    client: "aw-watcher-window",
    is_demo: false,
    created: "2026-01-01T00:00:00Z",
    first: null,
    last: null,
    events: 0,
    bytes: null,
    aliases: [],
    spark: [],
    health: "quiet",
    silent_since: null,
    usual_interval: null,
    ...rest,
  } as BucketState;
}

it("this device comes first, then the one that recorded most recently", () => {
  const groups = byDevice(
    [
      bucket("a", "phone", { last: "2026-03-01T00:00:00Z" }),
      bucket("b", "laptop"),
      bucket("c", "desktop", { last: "2026-03-05T00:00:00Z" }),
      bucket("d", "tablet"),
    ],
    "laptop",
  );
  expect(groups.map(({ device }) => device)).toEqual(["laptop", "desktop", "phone", "tablet"]);
  expect(groups.map(({ isThis }) => isThis)).toEqual([true, false, false, false]);
});

it("a device is marked as demo only if all its buckets are demo data", () => {
  const groups = byDevice(
    [
      bucket("a", "demo", { is_demo: true }),
      bucket("b", "mixed", { is_demo: true }),
      bucket("c", "mixed", { is_demo: false }),
    ],
    "",
  );
  expect(groups.map(({ device, isDemo }) => [device, isDemo])).toEqual([
    ["demo", true],
    ["mixed", false],
  ]);
});

it("within a device silent buckets come first, then the largest", () => {
  const [group] = byDevice(
    [
      bucket("small", "laptop", { events: 1, last: "2026-03-05T00:00:00Z" }),
      bucket("large", "laptop", { events: 9, last: "2026-03-04T00:00:00Z" }),
      bucket("silent", "laptop", { events: 0, health: "silent" }),
    ],
    "",
  );
  expect(group?.buckets.map(({ id }) => id)).toEqual(["silent", "large", "small"]);
  expect([group?.events, group?.last]).toEqual([10, "2026-03-05T00:00:00Z"]);
});

it("a bucket is found by any of its names", () => {
  const one = bucket("aw-watcher-window_laptop", "laptop", { aliases: ["Old name"] });
  expect(["window laptop", "OLD", "", "currentw"].map((words) => isAmong(one, words))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(isAmong(one, "window desktop")).toBe(false);
});
