import { expect, it } from "vitest";
import { hourTicks } from "./day-ticks";

function ticks(start: string, end: string, zone: string, every: number) {
  return hourTicks(Date.parse(start), Date.parse(end), zone, every).map(({ at, label }) => [
    label,
    new Date(at).toISOString().slice(11, 16),
  ]);
}

it("are at full hours of the zone", () => {
  expect(ticks("2026-03-05T03:00:00Z", "2026-03-06T03:00:00Z", "Europe/Berlin", 6)).toEqual([
    ["06", "05:00"],
    ["12", "11:00"],
    ["18", "17:00"],
    ["00", "23:00"],
  ]);
});

it("follow the clock on a day of 23 hours", () => {
  expect(ticks("2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00", "Europe/Berlin", 1)).toHaveLength(
    23,
  );
  expect(ticks("2026-03-29T00:00:00+01:00", "2026-03-29T06:00:00+02:00", "Europe/Berlin", 2)).toEqual([
    ["00", "23:00"],
    ["04", "02:00"],
  ]);
});

it("mark a repeated hour once", () => {
  const labels = ticks("2026-10-25T00:00:00+02:00", "2026-10-26T00:00:00+01:00", "Europe/Berlin", 1).map(
    ([label]) => label,
  );
  expect(labels).toHaveLength(24);
  expect(labels.slice(1, 4)).toEqual(["01", "02", "03"]);
});

it("support zones with offsets that are not whole hours", () => {
  expect(ticks("2026-03-05T00:00:00Z", "2026-03-05T12:00:00Z", "Asia/Kathmandu", 6)).toEqual([
    ["06", "00:15"],
    ["12", "06:15"],
  ]);
});
