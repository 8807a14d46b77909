/// <reference types="vitest/config" />
import { svelte } from "@sveltejs/vite-plugin-svelte";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";
import { pathIcons } from "./vite-icons.ts";
import { inlineTexts } from "./vite-texts.ts";

export default defineConfig({
  // Relative, so that the page works under any base path of a proxy.
  base: "./",
  plugins: [pathIcons(), svelte(), tailwindcss(), inlineTexts()],
  // A list of names is one object, and not an export for each of them.
  json: { namedExports: false },
  build: {
    outDir: "../src/dayline/api/built",
    assetsDir: "app",
    emptyOutDir: true,
    // The browsers of the last two years or so: everything the page uses is in them.
    target: ["chrome123", "firefox121", "safari17.5"],
    // Data addresses would need a looser content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // What several pages share is one file, and so are small parts of two: dozens of files would compress worse
        // and load later.
        codeSplitting: {
          groups: [
            { name: "shared", minShareCount: 3, priority: 2 },
            { name: "small", minShareCount: 2, maxModuleSize: 2500, priority: 1 },
          ],
        },
      },
    },
  },
  worker: { format: "es" },
  server: { proxy: { "/api": "http://127.0.0.1:5600" } },
  // The modules are pure, so that the files of a worker can share them: a fork for each takes longer than its tests.
  test: {
    include: ["src/**/*.test.ts"],
    exclude: ["**/*.browser.test.ts"], // e2e/components.config.ts runs those
    environment: "node",
    isolate: false,
  },
});
