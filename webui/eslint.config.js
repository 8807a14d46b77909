import js from "@eslint/js";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import ts from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

// One direction of imports: each layer may use those before it.
const LAYERS = ["core", "kit", "timeline", "features", "app"];
// Folders of a layer that may use less than the layer.
const NARROWER = [
  ["core/i18n", ["api", "color", "text", "time", "url"]],
  ["core/{color,text,time,url}", ["api"]],
  ["kit/{controls,display,layout,loading,overlays}", ["charts"]],
  ["timeline", ["kit/charts"]],
  ["timeline/engine", ["kit", "view", "store\\.svelte$"]],
];
const layers = [...LAYERS.map((layer) => [layer, []]), ...NARROWER].map(([folder, others]) => ({
  files: [`src/${folder}/**`],
  rules: {
    "no-restricted-imports": [
      "error",
      {
        patterns: [...LAYERS.slice(LAYERS.indexOf(folder.split("/")[0]) + 1), ...others].map((other) => ({
          regex: `^(\\.\\./)+${other}${other.endsWith("$") ? "" : "/"}`,
          message: `${folder} must not import this: the order is ${LAYERS.join(", ")}.`,
        })),
      },
    ],
  },
}));

export default ts.config(
  { ignores: ["src/core/api/schema.d.ts"] },
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
