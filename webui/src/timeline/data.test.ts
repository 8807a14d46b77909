import { afterEach, expect, it, vi } from "vitest";
import { preferences } from "../core/api/preferences.svelte";
import { parseView } from "../core/url/view";
import { weekQuery } from "./data";

afterEach(() => vi.restoreAllMocks());

const dateOf = (params: string) => weekQuery(parseView(new URLSearchParams(params))).queryKey[2];

it("the week of a range before the start of the day is that of the day before", () => {
  vi.spyOn(preferences, "zone", "get").mockReturnValue("Europe/Berlin");
  expect(dateOf("start=2026-03-02T03:59:00%2B01:00&end=2026-03-02T09:00:00%2B01:00")).toMatchObject({
    date: "2026-03-01",
  });
});

it("the week of a range is that of the zone, not that of the offset in the address", () => {
  vi.spyOn(preferences, "zone", "get").mockReturnValue("Asia/Tokyo");
  expect(dateOf("start=2026-03-01T20:00:00Z&end=2026-03-01T23:00:00Z")).toMatchObject({ date: "2026-03-02" });
});

it("the week of a period is that of its date", () =>
  expect(dateOf("date=2026-03-05")).toMatchObject({ period: "week", date: "2026-03-05" }));
