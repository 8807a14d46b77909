import { expect, test } from "vitest";
import { duration, isAboutZero, runningDuration, spokenDuration } from "./duration";

test.each([
  [0, "0s"],
  [0.2, "<1s"],
  [45.4, "45s"],
  [59.6, "1m 00s"],
  [61, "1m 01s"],
  [599, "9m 59s"],
  [600, "10m"],
  [3599, "1h 00m"],
  [11_400, "3h 10m"],
  [3_600_000, "1,000h 00m"],
  [-11_400, "−3h 10m"],
])("%d seconds are written %s", (seconds, text) => expect(duration(seconds)).toBe(text));

test("other styles are clock and decimal hours", () => {
  expect(duration(11_400, "clock")).toBe("3:10");
  expect(duration(11_400, "decimal")).toBe("3.17 h");
});

test("a running duration shows seconds", () => {
  expect([3729, 129, 9, -1].map(runningDuration)).toEqual(["1h 02m 09s", "2m 09s", "9s", "0s"]);
});

test("a screen reader gets words", () => {
  expect(spokenDuration(11_400)).toBe("3 hours 10 minutes");
  // A screen reader said 48 minutes where the page showed 49m.
  expect([duration(2930), spokenDuration(2930)]).toEqual(["49m", "49 minutes"]);
  expect(spokenDuration(11_375)).toBe("3 hours 10 minutes");
  expect([duration(45, "clock"), spokenDuration(45, "clock")]).toEqual(["0:01", "1 minute"]);
  expect(spokenDuration(5400, "decimal")).toBe("1.50 hours");
  expect(spokenDuration(61)).toBe("1 minute 1 second");
  expect(spokenDuration(0)).toBe("0 seconds");
});

test.each([
  [20, true],
  [-59, true],
  [60, false],
  [-61, false],
])("a difference of %d seconds is about none: %s", (seconds, isNone) =>
  expect(isAboutZero(seconds)).toBe(isNone),
);
