import { describe, expect, it } from "vitest";
import { bytes } from "./amount";

describe("bytes", () => {
  it.each([
    [0, "0 B"],
    [812, "812 B"],
    [1000, "1.0 kB"],
    [9_949, "9.9 kB"],
    [9_960, "10 kB"],
    [5_292_032, "5.3 MB"],
    [71_000_000, "71 MB"],
    [999_600, "1.0 MB"],
    [184_400_000_000, "184 GB"],
    [5e16, "50,000 TB"],
  ])("writes %d as %s", (value, text) => expect(bytes(value)).toBe(text));

  it("is a dash if unknown", () => expect(bytes(null)).toBe("–"));
});
