// Replaces the keys of texts by the English texts when the page is built: a page then contains its own texts and no
// others, English needs no file, and a translation is a list without keys, which is loaded if its language is chosen.
import { readFileSync } from "node:fs";
import type { Plugin } from "vite";
import { pack, type PackedMessage } from "./src/core/i18n/packed.ts";

const folder = new URL("./src/core/i18n/", import.meta.url);
const CALL = /(?<![\w$.])t\(\s*(["'])([A-Za-z]\w*\.\w+)\1/g;

export function inlineTexts(): Plugin {
  const english = flat("en.json");
  const keys = [...english.keys()];
  const places = new Map(keys.map((key, place) => [key, place]));
  return {
    name: "dayline-texts",
    apply: "build",
    enforce: "post",
    load(id) {
      const [, name] = /core\/i18n\/(\w+\.json)$/.exec(id) ?? [];
      if (name === "en.json") return "[]";
      if (!name) return undefined;
      const texts = flat(name);
      return JSON.stringify(keys.map((key) => texts.get(key) ?? null));
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
