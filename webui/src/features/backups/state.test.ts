import { expect, it } from "vitest";
import type { BackupList, BackupView, HealthView } from "../../core/api/schema";
import { bytesOf, standingOf } from "./state";

const BACKUP: BackupView = {
  name: "a.db.zst",
  made: "2026-03-05T00:00:00Z",
  state: "verified",
  bytes: 5,
  encrypted: false,
  buckets: 1,
  events: 2,
  schema: 5,
  problem: null,
};
const list = (changes: Partial<BackupList> = {}): BackupList => ({
  folder: "/f",
  schedule: { enabled: true, interval_hours: 24, keep_daily: 7, keep_weekly: 4, keep_monthly: 12 },
  backups: [BACKUP],
  last_failure: null,
  ...changes,
});

it("an intact newest backup is good, and no backup is none", () => {
  expect(standingOf(list(), undefined)).toEqual({ kind: "good", last: BACKUP });
  expect(standingOf(list({ backups: [] }), undefined)).toEqual({ kind: "none" });
});

it("a damaged newest backup is bad, and the last good one is named", () => {
  const damaged: BackupView = { ...BACKUP, name: "b", state: "failed", problem: "its checksum is wrong" };
  expect(standingOf(list({ backups: [damaged, BACKUP] }), undefined)).toEqual({
    kind: "bad",
    last: BACKUP,
    reasons: [{ message: "its checksum is wrong", hint: null }],
  });
});

it("a failure is reported once, with the text of the health check if there is one", () => {
  const health: HealthView = {
    status: "degraded",
    problems: [
      { kind: "backup", message: "the last backup failed: disk full", hint: "free some space", since: null },
      { kind: "disk", message: "other", hint: null, since: null },
    ],
    background: [],
  };
  const failed = list({ last_failure: { when: "2026-03-05T00:00:00Z", message: "disk full" } });
  expect(standingOf(failed, health)).toMatchObject({
    kind: "bad",
    reasons: [{ message: "the last backup failed: disk full", hint: "free some space" }],
  });
  expect(standingOf(failed, undefined)).toMatchObject({ kind: "bad", reasons: [{ message: "disk full" }] });
});

it("bytes are those of all", () => expect(bytesOf(list({ backups: [BACKUP, BACKUP] }))).toBe(10));
