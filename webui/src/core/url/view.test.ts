import { expect, test } from "vitest";
import { parseView, toggleFilter, viewParams, viewSearch, type View } from "./view";

function roundTrip(view: View): View {
  return parseView(new URLSearchParams(viewSearch(view).toString()));
}

test("a view survives a round trip through the URL", () => {
  const view: View = {
    period: "week",
    date: "2026-03-05",
    range: { start: "2026-03-05T10:05:00+01:00", end: "2026-03-05T11:20:00+01:00" },
    devices: ["laptop", "phone & more"],
    filters: [
      { field: "category", operator: "under", value: "Work/Code" },
      { field: "url", operator: "not", value: "https://example.org/a?b=c:d" },
    ],
    compare: "typical",
  };
  expect(roundTrip(view)).toEqual(view);
});

test("the default view needs no parameters", () => {
  const plain = parseView(new URLSearchParams());
  expect(Object.values(viewParams(plain)).filter((value) => value !== undefined && value.length > 0)).toEqual(
    [],
  );
  expect(roundTrip(plain)).toEqual(plain);
});

test("invalid parameters are ignored", () => {
  const view = parseView(
    new URLSearchParams("period=hour&date=2026-02-30&start=1&end=2&filter=app&filter=x:is:y&compare=me"),
  );
  expect(view).toEqual(parseView(new URLSearchParams()));
});

test("a second click on a row removes its filter", () => {
  const filter = { field: "app", operator: "is", value: "Code" } as const;
  expect(toggleFilter(toggleFilter([], filter), filter)).toEqual([]);
});
