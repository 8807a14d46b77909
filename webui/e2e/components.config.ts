import { svelte } from "@sveltejs/vite-plugin-svelte";
import tailwindcss from "@tailwindcss/vite";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { pathIcons } from "../vite-icons.ts";
import { FLAGS } from "./launch.ts";

// Tests of components in a real Chromium, without a server.
export default defineConfig({
  root: import.meta.dirname + "/..",
  plugins: [pathIcons(), svelte(), tailwindcss()],
  test: {
    include: ["src/**/*.browser.test.ts"],
    isolate: false, // each test removes what it mounted
    testTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({ launchOptions: { executablePath: process.env.CHROMIUM, args: FLAGS } }),
      instances: [{ browser: "chromium" }],
    },
  },
});
