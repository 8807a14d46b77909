import { expect, it } from "vitest";
import type { Space } from "../../core/api/schema";
import { freeBytes, partsOf } from "./parts";

const SPACE = {
  measured: "2026-03-05T00:00:00Z",
  database: {
    is_exact: true,
    file: 100,
    parts: { events: 40, values: 30, trash: 0, redactions: 5, audit: 5, unused: 8, free: 2, other: 10 },
    buckets: [],
    years: [],
  },
  segments: 50,
  log: 7,
  backups: 200,
  total: 357,
} as Space;

it("the parts add up to the total, largest first, without empty ones", () => {
  const parts = partsOf(SPACE);
  expect(parts.reduce((sum, part) => sum + part.bytes, 0)).toBe(SPACE.total);
  expect(parts.map(({ name }) => name).slice(0, 3)).toEqual(["Backups", "Segments", "Events"]);
  expect(parts.some(({ name }) => name === "Trash")).toBe(false);
});

it("reclaimable space is reported", () => expect(freeBytes(SPACE)).toBe(10));
