import { expect, it } from "vitest";
import { fromField, toField } from "./minute-fields";

const moment = (text: string) => Date.parse(text);

it("fields show and read local time of the zone", () => {
  const at = moment("2026-03-05T09:05:00+01:00");
  expect(toField(at, "Europe/Berlin")).toBe("2026-03-05T09:05");
  expect(fromField("2026-03-05T09:05", "Europe/Berlin")).toBe(at);
  expect(fromField("2026-03-05T09:05", "Asia/Kathmandu")).toBe(moment("2026-03-05T09:05:00+05:45"));
  expect(fromField("2026-03-05T09:05", "Pacific/Kiritimati")).toBe(moment("2026-03-05T09:05:00+14:00"));
});

it("a skipped time is undefined, and a repeated one is the first", () => {
  expect(fromField("2026-03-29T02:30", "Europe/Berlin")).toBeUndefined();
  expect(fromField("2026-10-25T02:30", "Europe/Berlin")).toBe(moment("2026-10-25T02:30:00+02:00"));
  expect(fromField("", "Europe/Berlin")).toBeUndefined();
});
