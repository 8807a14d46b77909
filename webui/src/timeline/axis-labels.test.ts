import { describe, expect, it } from "vitest";
import { readableTicks } from "./axis-labels";

const view = { start: 0, end: 1000 };
const tick = (time: number, label: string, isMajor = false) => ({ time, label, isMajor });
const labels = (...ticks: ReturnType<typeof tick>[]) =>
  readableTicks(ticks, view, 1000).map(({ label }) => label);

describe("labels of an axis", () => {
  it("are left out where they would overlap the one before", () =>
    expect(labels(tick(0, "10 Nov"), tick(40, "11 Nov"), tick(80, "12 Nov"))).toEqual([
      "10 Nov",
      "",
      "12 Nov",
    ]));

  it("of a new day are kept instead of the hours around it", () =>
    expect(
      labels(tick(0, "22:00"), tick(40, "Tue 10 Nov", true), tick(80, "02:00"), tick(200, "04:00")),
    ).toEqual(["", "Tue 10 Nov", "", "04:00"]));

  it("are left out where the edge would cut them", () => expect(labels(tick(970, "12:00"))).toEqual([""]));
});
