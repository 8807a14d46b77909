/// <reference types="svelte" />
/// <reference types="vite/client" />

/** The texts of a translation that the first page has; vite-texts.ts. */
declare module "*.json?first" {
  const texts: unknown;
  export default texts;
}
