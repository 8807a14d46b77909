import { expect, it } from "vitest";
import { deviceShares } from "./devices";

it("the shares of devices add up, and devices without time are left out", () => {
  const devices = [
    { device: "phone", seconds: 25 },
    { device: "laptop", seconds: 75 },
    { device: "tablet", seconds: 0 },
  ];
  expect(deviceShares(devices).map(({ device, share }) => [device, share])).toEqual([
    ["laptop", 0.75],
    ["phone", 0.25],
  ]);
  expect(deviceShares([])).toEqual([]);
});
