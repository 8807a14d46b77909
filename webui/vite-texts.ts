// Replaces the keys of texts by the English texts when the page is built: a page then contains its own texts and no
// others, English needs no file, and a translation is two lists without keys, which are loaded if its language is chosen:
// the texts of the first page (`de.json?first`), and all others.
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";
import { pack, type PackedMessage } from "./src/core/i18n/packed.ts";

const folder = new URL("./src/core/i18n/", import.meta.url);
const source = new URL("./src/", import.meta.url).pathname;
/** What is loaded before anything is shown. */
const FIRST = ["main.ts", "features/today/TodayPage.svelte"];
const IMPORT = /^\s*(?:import|export)\s(?!type\s)[^;]*?from\s+["'](\.[^"']+)["']/gm;
const CALL = /(?<![\w$.])t\(\s*(["'])([A-Za-z]\w*\.\w+)\1/g;

export function inlineTexts(): Plugin {
  const english = flat("en.json");
  const first = firstKeys();
  const keys = [...english.keys()].sort((one, other) => Number(first.has(other)) - Number(first.has(one)));
  const places = new Map(keys.map((key, place) => [key, place]));
  return {
    name: "dayline-texts",
    apply: "build",
    enforce: "post",
    load(id) {
      const [, name, part] = /core\/i18n\/(\w+\.json)(\?first)?$/.exec(id) ?? [];
      if (name === "en.json") return "[]";
      if (!name) return undefined;
      const texts = flat(name);
      const wanted = keys.filter((key) => first.has(key) === (part !== undefined));
      const list = JSON.stringify(wanted.map((key) => texts.get(key) ?? null));
      return { code: `export default ${list};`, moduleType: "js", map: null };
    },
    transform(code, id) {
      if (id.includes("/node_modules/") || !/\/src\/.*\.(svelte|ts)/.test(id)) return undefined;
      const written = code.replace(CALL, (_call, _quote, key: string) => {
        const [place, message] = [places.get(key), english.get(key)];
        if (place === undefined || message === undefined)
          return this.error(`${id}: there is no text "${key}"`);
        return `t(${JSON.stringify(pack(place, message))}`;
      });
      return written === code ? undefined : { code: written, map: null };
    },
  };
}

function flat(name: string): Map<string, PackedMessage> {
  const groups = JSON.parse(readFileSync(new URL(name, folder), "utf-8")) as Record<
    string,
    Record<string, PackedMessage>
  >;
  return new Map(
    Object.entries(groups).flatMap(([group, texts]) =>
      Object.entries(texts).map(([key, message]) => [`${group}.${key}`, message] as const),
    ),
  );
}

/** The keys of texts in the modules of the first page. */
function firstKeys(): Set<string> {
  const [files, keys] = [new Set(FIRST.map((name) => join(source, name))), new Set<string>()];
  for (const file of files) {
    const code = readFileSync(file, "utf-8");
    for (const [, , key = ""] of code.matchAll(CALL)) keys.add(key);
    for (const [, path = ""] of code.matchAll(IMPORT)) {
      const place = join(dirname(file), path);
      const found = [place, `${place}.ts`].find((each) => existsSync(each) && statSync(each).isFile());
      if (found && /\.(svelte|ts)$/.test(found)) files.add(found); // which this loop then visits, too
    }
  }
  return keys;
}
