import { expect, it } from "vitest";
import { lengthChoices, lengthLabel } from "./lengths";

it("lengths are formatted for reading", () => {
  expect(["15m", "1h", "90s", "7", "1.5h", "soon"].map(lengthLabel)).toEqual([
    "15 min",
    "1 h",
    "90 s",
    "7 min",
    "1.5 h",
    "soon",
  ]);
});

it("a custom length is among the choices", () => {
  expect(lengthChoices(["0m", "5m"], "7m", "Never")).toEqual([
    { value: "0m", label: "Never" },
    { value: "5m", label: "5 min" },
    { value: "7m", label: "7 min" },
  ]);
});
