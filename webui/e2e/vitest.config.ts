import { defineConfig } from "vitest/config";

// Tests in a real Chromium against real servers. Four files at a time: a page and its server wait for each other.
export default defineConfig({
  test: {
    root: import.meta.dirname + "/..",
    include: ["e2e/**/*.e2e.ts"],
    globalSetup: "e2e/setup.ts",
    setupFiles: "e2e/every-test.ts",
    maxWorkers: 4,
    isolate: false, // the files of a worker share its browser and its server with demo data
    // Far longer than anything takes: tests wait for what they expect, and time ends only those in which it never comes.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000, interval: 100 } },
  },
});
