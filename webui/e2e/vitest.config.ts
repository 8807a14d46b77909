import { defineConfig } from "vitest/config";

// Tests in a real Chromium against real servers. Two files at a time: a page waits for its server most of the time.
export default defineConfig({
  test: {
    root: import.meta.dirname + "/..",
    include: ["e2e/**/*.e2e.ts"],
    globalSetup: "e2e/setup.ts",
    maxWorkers: 2,
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    retry: 1, // a browser on a busy machine may be late once
    // What a page is waited for is there soon on a quiet machine, and later on a busy one.
    expect: { poll: { timeout: 10_000 } },
  },
});
