import { expect, it } from "vitest";
import type { ImportSurvey, JobView } from "../../core/api/schema";
import { jobName, progressText, resultText, sumsOf } from "./job-words";

it("progress says how far it is", () => {
  expect([
    progressText({ done: 0, total: null }),
    progressText({ done: 9, total: null }),
    progressText({ done: 240_000, total: 338_000 }),
  ]).toEqual(["Reading the file", "9 events", "240,000 of 338,000 events"]);
});

it("a result has the numbers of new and existing events", () => {
  const job = { result: { buckets: 1, imported: 12, skipped: 3, invalid: 1 }, error: null } as JobView;
  expect(resultText(job)).toBe("12 new · 3 existing · 1 invalid");
  expect(resultText({ ...job, result: null, error: { message: "cancelled", type: "x", hint: null } })).toBe(
    "cancelled",
  );
});

it("jobs of an unknown kind show its name", () => {
  expect([jobName({ kind: "import" }), jobName({ kind: "polish" as "import" })]).toEqual([
    "Import",
    "polish",
  ]);
});

it("a survey is summed up", () => {
  const bucket = {
    id: "a",
    is_new: true,
    new: 2,
    known: 1,
    invalid: 0,
    dropped: 1,
    conflicts: ["type", "client"],
  };
  const survey: ImportSurvey = { buckets: [bucket, { ...bucket, conflicts: [] }] };
  expect(sumsOf(survey)).toEqual({ new: 4, known: 2, invalid: 0, dropped: 2, conflicts: 1 });
});
