import { expect, it } from "vitest";
import type { EventDetail } from "../../../core/api/schema";
import { patchOf, typedOf } from "./event-patch";

const ZONE = "Europe/Berlin";
const EVENT = {
  id: 7,
  timestamp: "2026-03-05T15:40:02.125999Z",
  end: "2026-03-05T15:41:02.125999Z",
  duration: 60,
  data: { app: "Code" },
  bucket: "b",
  device: "laptop",
  type: "currentwindow",
  is_last: false,
} as unknown as EventDetail;
const TYPED = typedOf(EVENT, ZONE);

it("unchanged fields are not sent, so that no microsecond is lost", () => {
  expect(patchOf(EVENT, TYPED, ZONE)).toEqual({ patch: {}, faults: {} });
});

it("a new end leaves the exact start alone", () => {
  const { patch } = patchOf(EVENT, { ...TYPED, end: "2026-03-05T16:45:00" }, ZONE);
  expect(patch).toEqual({ timestamp: EVENT.timestamp, end: "2026-03-05T15:45:00.000Z" });
});

it("an end before the start, an invalid time and invalid data are errors", () => {
  expect(patchOf(EVENT, { ...TYPED, end: "2026-03-05T16:00:00" }, ZONE).faults.end).toContain("before");
  expect(patchOf(EVENT, { ...TYPED, start: "" }, ZONE).faults.start).toBeDefined();
  for (const data of ["{", "[]", "null", "7"])
    expect(patchOf(EVENT, { ...TYPED, data }, ZONE).faults.data).toBeDefined();
});

it("new data is sent as a whole", () => {
  expect(patchOf(EVENT, { ...TYPED, data: '{"app":"Vim"}' }, ZONE).patch).toEqual({ data: { app: "Vim" } });
});
