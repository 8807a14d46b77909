import { expect, it } from "vitest";
import type { TrashItem } from "../../core/api/schema";
import { changesOf, findChanges, whenText } from "./changes";

const item = (id: number, changes: Partial<TrashItem> = {}): TrashItem => ({
  id,
  kind: "delete_events",
  bucket: `bucket ${id}`,
  other: "",
  events: 10,
  made: "2026-03-05T09:12:00Z",
  until: "2026-04-04T00:00:00Z",
  state: "done",
  progress: null,
  group: "",
  by: "browser",
  start: null,
  end: null,
  ...changes,
});

it("one delete over several buckets is one row, with what, when and by whom", () => {
  // It was one row for each bucket, without a time.
  const [change, other] = changesOf(
    [
      item(3, { group: "g", start: "2026-03-05T12:10:00Z", end: "2026-03-05T12:55:00Z" }),
      item(2, { group: "g", start: "2026-03-05T12:00:00Z", end: "2026-03-05T12:30:00Z" }),
      item(1),
    ],
    "UTC",
  );
  expect(change?.items.map(({ id }) => id)).toEqual([3, 2]);
  expect(change?.text).toMatch(/^20 events deleted, .*12:00.* – .*12:55.*, in 2 buckets$/);
  expect(other).toMatchObject({ group: "", text: "10 events deleted", buckets: ["bucket 1"] });
});

it("changes are found by their text, their buckets and who made them", () => {
  const changes = changesOf([item(1), item(2, { by: "command", kind: "insert_events" })], "UTC");
  expect(findChanges(changes, "browser deleted").map(({ key }) => key)).toEqual(["1"]);
  expect(findChanges(changes, "BUCKET 2").map(({ key }) => key)).toEqual(["2"]);
});

it("a change of today has the time only", () => {
  const now = Date.parse("2026-03-05T20:00:00Z");
  expect(whenText("2026-03-05T09:12:00Z", "UTC", now)).toMatch(/^Today,? /);
  expect(whenText("2026-03-04T09:12:00Z", "UTC", now)).toMatch(/4 Mar|Mar 4/);
});
