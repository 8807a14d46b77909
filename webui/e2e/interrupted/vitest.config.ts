import { defineConfig } from "vitest/config";
import config from "../vitest.config.ts";

// A run that never ends by itself, for interrupted.e2e.ts.
export default defineConfig({
  test: {
    ...config.test,
    include: ["e2e/interrupted/endless.ts"],
    globalSetup: [],
    provide: { folder: process.env.FOLDER ?? "", seeded: "" },
  },
});
