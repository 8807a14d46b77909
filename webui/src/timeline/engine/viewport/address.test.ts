import { describe, expect, it } from "vitest";
import { addressParams, parseAddress, parseMoment } from "./address";

describe("the address", () => {
  it("says what the timeline shows, there and back", () => {
    const selection = {
      start: parseMoment("2026-03-05T10:05:00Z"),
      end: parseMoment("2026-03-05T11:20:00.000125Z"),
    };
    const said = {
      lanes: ["a/b", "c"],
      color: "title" as const,
      selection,
      event: { bucket: "we@rd/bucket", id: 12 },
      inside: { ...selection, lane: "we@rd/bucket" },
      view: "table" as const,
      rows: "events" as const,
    };
    const params = new URLSearchParams();
    for (const [name, value] of Object.entries(addressParams(said)))
      for (const each of [value ?? []].flat()) params.append(name, each);
    expect(parseAddress(new URLSearchParams(params.toString()))).toEqual(said);
  });

  it("leaves out what is usual, and what makes no sense", () => {
    expect(
      addressParams({
        lanes: [],
        color: "category",
        selection: undefined,
        event: undefined,
        view: "lanes",
        rows: "sessions",
      }),
    ).toEqual({
      lanes: [],
      color: undefined,
      selection: undefined,
      event: undefined,
      view: undefined,
      rows: undefined,
    });
    expect(parseAddress(new URLSearchParams("selection=x/y&event=7&color=plaid&lanes=bucket"))).toEqual({
      lanes: [],
      color: "category",
      selection: undefined,
      event: undefined,
      inside: undefined,
      view: "lanes",
      rows: "sessions",
    });
  });
});
