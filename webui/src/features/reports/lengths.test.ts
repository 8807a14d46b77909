import { expect, it } from "vitest";
import { lengthChoices, lengthLabel } from "./lengths";

it("lengths are written as people read them", () => {
  expect(["15m", "1h", "90s", "7", "1.5h", "soon"].map(lengthLabel)).toEqual([
    "15 min",
    "1 h",
    "90 s",
    "7 min",
    "1.5 h",
    "soon",
  ]);
});

it("the length that is chosen can be chosen again, whatever it is", () => {
  expect(lengthChoices(["0m", "5m"], "7m", "Never")).toEqual([
    { value: "0m", label: "Never" },
    { value: "5m", label: "5 min" },
    { value: "7m", label: "7 min" },
  ]);
});
