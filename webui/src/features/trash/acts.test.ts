import { expect, it } from "vitest";
import type { TrashItem } from "../../core/api/schema";
import { actText, shareOf, timeLeft, wordOf } from "./acts";

const ITEM: TrashItem = {
  id: 1,
  kind: "delete_bucket",
  bucket: "window_laptop",
  other: "",
  events: 1200,
  made: "2026-03-05T00:00:00Z",
  until: "2026-04-04T00:00:00Z",
  state: "done",
  progress: null,
  group: "",
  by: "",
  start: null,
  end: null,
};

it.each([
  [{}, "Bucket deleted (1,200 events)"],
  [{ kind: "delete_events", events: 1 }, "1 event deleted"],
  [{ kind: "merge_buckets", other: "b", events: 2 }, "Merged into b (2 events)"],
  [{ kind: "rehost_bucket", other: "window_laptop" }, "Host changed"],
  [{ kind: "rename_bucket", other: "new" }, "Renamed to new"],
  [{ kind: "something_new" }, "something new"],
])("%o is shown as “%s”", (changes, text) =>
  expect(actText({ ...ITEM, ...changes } as TrashItem)).toBe(text),
);

it("the share that is done is unknown without a total", () => {
  const shares = [10, null].map((of) => shareOf({ text: "restoring", done: 4, of }));
  expect(shares).toEqual([0.4, undefined]);
});

it("the user types the name of the bucket, if there is one", () => {
  expect([wordOf(ITEM), wordOf({ ...ITEM, bucket: "" })]).toEqual(["window_laptop", "remove"]);
});

it("the remaining time is in days, then in hours", () => {
  const now = Date.parse("2026-03-05T00:00:00Z");
  expect(
    ["2026-04-04T00:00:00Z", "2026-03-06T23:59:00Z", "2026-03-05T01:30:00Z", "2026-03-05T00:10:00Z"].map(
      (until) => timeLeft(until, now),
    ),
  ).toEqual(["30 days", "47 hours", "1 hour", "less than an hour"]);
});
