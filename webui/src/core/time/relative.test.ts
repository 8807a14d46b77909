import { expect, test } from "vitest";
import { ago, recordedAt } from "./relative";

const NOW = Date.parse("2026-03-05T12:00:00Z");

test.each([
  ["2026-03-05T12:00:00Z", "now"],
  ["2026-03-05T12:00:09Z", "now"],
  ["2026-03-05T11:59:48Z", "12 s"],
  ["2026-03-05T11:55:00Z", "5 min"],
  ["2026-03-05T08:00:00Z", "4 h"],
  ["2026-03-03T11:00:00Z", "2 d"],
])("%s was %s ago", (moment, text) => expect(ago(moment, NOW)).toBe(text));

test.each([
  ["2026-03-05T12:00:00Z", "now"],
  ["2026-03-05T11:55:00Z", "5 min ago"],
  ["2026-03-04T13:00:00Z", "23 h ago"],
  ["2024-04-22T12:00:00Z", /^(?=.*22)(?=.*2024)(?!.*ago)/],
])("an event at %s was recorded %s", (moment, text) => expect(recordedAt(moment, NOW, "UTC")).toMatch(text));
