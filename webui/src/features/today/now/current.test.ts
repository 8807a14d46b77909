import { expect, test } from "vitest";
import type { DeviceNow } from "../../../core/api/schema";
import { isCurrent } from "./current";

const NOW = Date.parse("2026-03-05T12:00:00Z");
const device = (rest: Partial<DeviceNow>) => ({ health: "quiet", ...rest }) as DeviceNow;

test.each([
  ["a device that records", { health: "recording", last_seen: "2026-03-05T11:59:00Z" }, true],
  ["a device used an hour ago", { last_seen: "2026-03-05T11:03:00Z" }, false],
  ["a device that should record", { health: "silent", last_seen: "2026-03-05T11:40:00Z" }, false],
  ["old data", { last_seen: "2024-04-22T12:00:00Z" }, false],
  ["a device without events", { last_seen: null }, false],
] as const)("%s", (_, rest, expected) => expect(isCurrent(device(rest), NOW)).toBe(expected));
