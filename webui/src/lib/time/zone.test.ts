import { expect, test } from "vitest";
import { isoDate, timeOfDay, timeWithSeconds } from "./zone";

const MOMENT = "2026-03-05T23:30:05Z";

test("a moment is shown in the zone that is asked for, not in the browser's", () => {
  expect(timeOfDay(MOMENT, "Asia/Kathmandu")).toMatch(/5:15/);
  expect(timeWithSeconds(MOMENT, "Europe/Berlin")).toMatch(/12:30:05|00:30:05/);
});

test("its date is that of the zone", () => {
  expect(isoDate(MOMENT, "America/New_York")).toBe("2026-03-05");
  expect(isoDate(MOMENT, "Europe/Berlin")).toBe("2026-03-06");
});
