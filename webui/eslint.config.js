import js from "@eslint/js";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import ts from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

// One direction of imports: each layer may use those before it.
const LAYERS = ["core", "lib", "api", "ui", "charts", "timeline", "features", "pages"];
const BESIDE = { timeline: ["charts"] };
const layers = LAYERS.map((layer, place) => ({
  files: [`src/${layer}/**`],
  rules: {
    "no-restricted-imports": [
      "error",
      {
        patterns: [...new Set([...LAYERS.slice(place + 1), ...(BESIDE[layer] ?? [])])].map((other) => ({
          regex: `^(\\.\\./)+${other}/`,
          message: `${layer} comes before ${other}: core, lib, api, ui, charts and timeline, features, pages.`,
        })),
      },
    ],
  },
}));

export default ts.config(
  { ignores: ["src/api/schema.d.ts"] },
  js.configs.recommended,
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  { languageOptions: { globals: { ...globals.browser, ...globals.node } } },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: ts.parser, extraFileExtensions: [".svelte"], svelteConfig } },
  },
  {
    rules: {
      "no-undef": "off", // TypeScript knows better
      "no-console": "error",
      "svelte/no-at-html-tags": "error",
      "svelte/no-navigation-without-resolve": "off", // for SvelteKit
      "svelte/prefer-svelte-reactivity": "off", // what has to be seen to change is state by itself
    },
  },
  { files: ["scripts/**", "e2e/**"], rules: { "no-console": "off" } }, // what they print is what they are for
  ...layers,
);
