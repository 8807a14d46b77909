import { describe, expect, it } from "vitest";
import { biggestChanges } from "./changes";

describe("the biggest changes", () => {
  it("are sorted by size in either direction", () => {
    const now = [
      { key: ["Work"], seconds: 5000 },
      { key: ["Media"], seconds: 1000 },
      { key: ["New"], seconds: 600 },
    ];
    const before = [
      { key: ["Work"], seconds: 4000 },
      { key: ["Media"], seconds: 4000 },
      { key: ["Gone"], seconds: 900 },
    ];
    expect(biggestChanges(now, before, 3)).toEqual([
      { key: ["Media"], seconds: 1000, before: 4000, by: -3000, share: -0.75 },
      { key: ["Work"], seconds: 5000, before: 4000, by: 1000, share: 0.25 },
      { key: ["Gone"], seconds: 0, before: 900, by: -900, share: -1 },
    ]);
  });

  it("have no share if there was nothing before, and ignore less than a minute", () => {
    expect(
      biggestChanges(
        [
          { key: "a", seconds: 100 },
          { key: "b", seconds: 59 },
        ],
        [],
        9,
      ),
    ).toEqual([{ key: "a", seconds: 100, before: 0, by: 100, share: undefined }]);
  });
});
