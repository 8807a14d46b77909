import { expect, it } from "vitest";
import type { Finding } from "../../core/api/schema";
import { byKind, fixableCount } from "./kinds";

const finding = (kind: Finding["kind"], bucket: string, count: number): Finding => ({
  kind,
  bucket,
  count,
  seconds: count,
  examples: [],
  is_mendable: kind !== "gaps",
  mend: "",
});
const FINDINGS = [finding("gaps", "a", 3), finding("duplicates", "a", 1), finding("duplicates", "b", 5)];

it("findings are grouped by kind, gaps last, the largest first", () => {
  expect(
    byKind(FINDINGS).map(({ kind, count, findings }) => [kind, count, findings.map(({ bucket }) => bucket)]),
  ).toEqual([
    ["duplicates", 6, ["b", "a"]],
    ["gaps", 3, ["a"]],
  ]);
});

it("findings without a fix are not counted", () => expect(fixableCount(FINDINGS)).toBe(2));
