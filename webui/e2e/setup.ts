// Before all tests: one store of seeded activity, which every server of a test gets a copy of.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { environment, PYTHON } from "./process.ts";

const DAYS = "30";

declare module "vitest" {
  export interface ProvidedContext {
    seeded: string;
    folder: string;
  }
}

export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "dayline-e2e-"));
  const seeded = join(folder, "seeded.db");
  const made = spawnSync(
    PYTHON,
    ["-m", "dayline", "demo", "--seed", "7", "--days", DAYS, "--devices", "3", "--database", seeded],
    { env: environment(folder), encoding: "utf-8" },
  );
  if (made.status !== 0) throw new Error(`dayline demo failed:\n${made.stdout}${made.stderr}`);
  project.provide("seeded", seeded);
  project.provide("folder", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
