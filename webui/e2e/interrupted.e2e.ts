import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, inject, it, onTestFinished } from "vitest";

const VITEST = resolve(import.meta.dirname, "../node_modules/vitest/vitest.mjs");

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // One that has ended stays in the list of processes until its parent asks for its status.
  const status = `/proc/${pid}/stat`;
  return !existsSync(status) || !/\) Z /.test(readFileSync(status, "utf-8"));
}

it.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)(
  "a run that gets %s leaves no server and no browser running",
  async (signal) => {
    const folder = mkdtempSync(join(inject("folder"), "interrupted-"));
    const run = spawn(process.execPath, [VITEST, "run", "--config=e2e/interrupted/vitest.config.ts"], {
      env: { ...process.env, FOLDER: folder },
      stdio: "ignore",
    });
    onTestFinished(() => void run.kill("SIGKILL"));
    const file = join(folder, "processes");
    await expect.poll(() => existsSync(file)).toBe(true);
    const processes = JSON.parse(readFileSync(file, "utf-8")) as number[];
    expect(processes.filter(isRunning).length).toBeGreaterThan(2);
    run.kill(signal);
    await expect.poll(() => processes.filter(isRunning)).toEqual([]);
  },
);
