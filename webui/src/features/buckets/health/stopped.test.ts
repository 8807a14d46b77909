import { expect, it } from "vitest";
import type { BucketState, DeviceState } from "../../../core/api/schema";
import { recordersOf } from "./stopped";

const LAST = "2026-03-05T12:00:00Z";
const bucket = (id: string, device: string, health: BucketState["health"]) =>
  ({ id, device, health }) as BucketState;
const device = (name: string, health: DeviceState["health"], last: string | null = LAST): DeviceState => ({
  device: name,
  health,
  last,
});

it("a stopped device is reported once, not once per watcher", () => {
  const found = recordersOf(
    [bucket("window", "laptop", "silent"), bucket("away", "laptop", "silent")],
    [device("laptop", "silent")],
  );
  expect(found.stopped.map((each) => each.device)).toEqual(["laptop"]);
  expect(found.silent).toEqual([]);
});

it("a stopped watcher on a device in use is reported on its own", () => {
  const found = recordersOf(
    [bucket("window", "laptop", "recording"), bucket("away", "laptop", "silent")],
    [device("laptop", "recording")],
  );
  expect(found.stopped).toEqual([]);
  expect(found.silent.map((each) => each.id)).toEqual(["away"]);
  expect(found.recording.map((each) => each.id)).toEqual(["window"]);
});

it("a watcher with nothing to record is not a stopped device", () => {
  const found = recordersOf(
    [
      bucket("window", "laptop", "recording"),
      bucket("tabs", "laptop", "quiet"),
      bucket("apps", "phone", "quiet"),
    ],
    [device("laptop", "recording"), device("phone", "quiet"), device("new", "quiet", null)],
  );
  expect(found.idle.map((each) => each.id)).toEqual(["tabs"]);
  expect(found.off.map((each) => each.device)).toEqual(["phone"]);
});
