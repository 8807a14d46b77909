import { expect, it } from "vitest";
import { bytes } from "./bytes";

it("has three figures and a unit", () => {
  expect([0, 999, 1000, 5_292_032, 184_000_000, 999_600_000].map(bytes)).toEqual([
    "0 B",
    "999 B",
    "1.00 kB",
    "5.29 MB",
    "184 MB",
    "1.00 GB",
  ]);
});
