import { expect, test } from "vitest";
import { apart } from "./apart";

const labels = ["Jan 12", "", "Feb 23", "", "Apr 6", ""];

test("labels are shown if each fits", () => {
  expect(apart(labels, 600)).toEqual(labels);
});

test("if there is less space, some are dropped, and the first one stays", () => {
  expect(apart(labels, 120)).toEqual(["Jan 12", "", "", "", "Apr 6", ""]);
  expect(apart(labels, 60)).toEqual(["Jan 12", "", "", "", "", ""]);
});
