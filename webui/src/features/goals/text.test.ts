import { expect, it } from "vitest";
import { stateText } from "./text";

const end = "2026-03-06T04:00:00Z";
const [during, after] = [Date.parse("2026-03-05T12:00:00Z"), Date.parse(end)];

it("a target that was not reached is missed when its period is over, not behind", () => {
  expect(stateText({ state: "behind", end }, during)).toBe("behind");
  expect(stateText({ state: "behind", end }, after)).toBe("missed");
  expect(stateText({ state: "reached", end }, after)).toBe("reached");
});
