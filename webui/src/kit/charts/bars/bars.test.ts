import { expect, it } from "vitest";
import { apart, barsOf, hourSteps } from "./bars";

it("an axis has at most five lines, at round hours", () => {
  expect(hourSteps(9.5 * 3600)).toEqual([0, 4, 8, 12].map((hours) => hours * 3600));
  expect(hourSteps(40 * 60)).toEqual([0, 10, 20, 30, 40].map((minutes) => minutes * 60));
  expect(hourSteps(0)).toEqual([0, 300]);
  const steps = hourSteps(700 * 3600);
  expect(steps.length).toBeLessThanOrEqual(5);
  expect(steps.at(-1)).toBeGreaterThanOrEqual(700 * 3600);
});

it("a bar has its non-empty parts, and the others combined", () => {
  const bars = barsOf({
    edges: ["a", "b", "c"],
    keys: [["Work", "Code"], ["Uncategorized"]],
    values: [
      [10, 0],
      [5, 0],
    ],
    other: [0, 7],
    total: [15, 7],
  });
  expect(bars).toEqual([
    {
      start: "a",
      end: "b",
      total: 15,
      parts: [
        { label: "Work › Code", category: ["Work", "Code"], seconds: 10 },
        { label: "Uncategorized", category: ["Uncategorized"], seconds: 5 },
      ],
    },
    {
      start: "b",
      end: "c",
      total: 7,
      parts: [{ label: "Other", category: undefined, isOther: true, seconds: 7 }],
    },
  ]);
});

const labels = ["Jan 12", "", "Feb 23", "", "Apr 6", ""];

it("labels are shown if each fits", () => {
  expect(apart(labels, 600)).toEqual(labels);
});

it("if there is less space, some are dropped, and the first one stays", () => {
  expect(apart(labels, 120)).toEqual(["Jan 12", "", "", "", "Apr 6", ""]);
  expect(apart(labels, 60)).toEqual(["Jan 12", "", "", "", "", ""]);
});
