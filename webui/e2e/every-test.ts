// What holds for every test: nothing goes wrong in its pages, and no server logs a traceback.
import { afterEach, expect } from "vitest";
import { closePages } from "./browser.ts";
import { tracebacks } from "./server.ts";

afterEach(async () => {
  await closePages();
  expect(tracebacks()).toEqual([]);
});
