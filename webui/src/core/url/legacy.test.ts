import { expect, test } from "vitest";
import { legacyHash } from "./legacy";

test.each([
  ["#/home", "#/today"],
  ["#/activity/laptop/day/2026-03-05/view/summary", "#/today?date=2026-03-05&device=laptop"],
  ["#/activity/laptop/week/2026-03-02", "#/today?period=week&date=2026-03-02&device=laptop"],
  ["#/activity/unknown/last7d", "#/today"],
  ["#/rawdata", "#/buckets"],
  ["#/settings/category-builder", "#/categories"],
  ["#/report", "#/reports"],
  ["#/alerts", "#/settings/goals"],
])("%s of ActivityWatch's web UI redirects to %s", (old, ours) => expect(legacyHash(old)).toBe(ours));

test.each([
  "",
  "#/today",
  "#/timeline",
  "#/buckets/aw-watcher-window_laptop",
  "#/query",
  "#/settings",
  "#/search",
  "#/trends",
])("%j is left alone", (hash) => expect(legacyHash(hash)).toBeNull());
