import { expect, test, vi } from "vitest";
import { browserZone, dayOf, isoDate, timeOfDay, timeWithSeconds } from "./zone";

const MOMENT = "2026-03-05T23:30:05Z";

test("a time is shown in the given zone, not in the browser's", () => {
  expect(timeOfDay(MOMENT, "Asia/Kathmandu")).toMatch(/5:15/);
  expect(timeWithSeconds(MOMENT, "Europe/Berlin")).toMatch(/12:30:05|00:30:05/);
});

test("its date is that of the zone", () => {
  expect(isoDate(MOMENT, "America/New_York")).toBe("2026-03-05");
  expect(isoDate(MOMENT, "Europe/Berlin")).toBe("2026-03-06");
});

test("late at night it belongs to the previous day until the day starts", () => {
  expect(dayOf("2026-03-06T02:59:59Z", "Europe/Berlin", "04:00")).toBe("2026-03-05");
  expect(dayOf("2026-03-06T03:00:00Z", "Europe/Berlin", "04:00")).toBe("2026-03-06");
  expect(dayOf("2026-03-05T23:00:00Z", "Europe/Berlin", "00:00")).toBe("2026-03-06");
});

test("on the night of a clock change, a day starts at its local start time", () => {
  expect(dayOf("2026-03-29T01:59:00Z", "Europe/Berlin", "04:00")).toBe("2026-03-28");
  expect(dayOf("2026-03-29T02:00:00Z", "Europe/Berlin", "04:00")).toBe("2026-03-29");
});

test("a browser that travels has the zone of its new place", () => {
  const clock = vi.spyOn(performance, "now").mockReturnValue(1e9);
  const system = vi.spyOn(Intl.DateTimeFormat.prototype, "resolvedOptions");
  const zoneAt = (timeZone: string) =>
    system.mockReturnValue({ timeZone } as Intl.ResolvedDateTimeFormatOptions);
  zoneAt("Europe/Berlin");
  expect(browserZone()).toBe("Europe/Berlin");
  zoneAt("Asia/Tokyo");
  clock.mockReturnValue(1e9 + 1000);
  expect(browserZone()).toBe("Asia/Tokyo");
  vi.restoreAllMocks();
});
