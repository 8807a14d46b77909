// Prints what a browser has to fetch, compressed, beside the most it may be; fails where it is more.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";

const built = new URL("../../src/dayline/api/built/", import.meta.url).pathname;
const app = join(built, "app");
const size = (file) => gzipSync(readFileSync(file), { level: 9 }).length;
const files = readdirSync(app).filter((name) => !name.endsWith(".gz"));

/** The files that the page itself names, and all that these load before anything can be seen: Today's code too. */
function firstLoad() {
  const page = readFileSync(join(built, "index.html"), "utf-8");
  const wanted = [...page.matchAll(/app\/[\w.-]+\.(?:js|css)/g)].map((match) => basename(match[0]));
  wanted.push(...files.filter((name) => /^TodayPage-.*\.(js|css)$/.test(name)));
  const found = new Set();
  while (wanted.length > 0) {
    const name = wanted.pop();
    if (found.has(name)) continue;
    found.add(name);
    if (!name.endsWith(".js")) continue;
    // What is imported statically; what is imported by a call comes later.
    const code = readFileSync(join(app, name), "utf-8");
    for (const match of code.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)) wanted.push(match[1]);
  }
  return [...found];
}

const sum = (names, pattern) =>
  names.filter((name) => pattern.test(name)).reduce((all, name) => all + size(join(app, name)), 0);
const first = firstLoad();
const fonts = files.filter((name) => /^geist-latin-wght.*woff2$/.test(name));
const rapidoc = new URL("../../src/dayline/api/static/rapidoc-min.js", import.meta.url).pathname;
// Other languages are files of their own, which English does without.
const german = files.filter((name) => /^([\w-]+\.)?de-[\w-]+\.js$/.test(name));
// The texts of the first page, and those of all others, which follow once it is shown.
const [texts] = german
  .filter((name) => name.startsWith("de-"))
  .sort((one, other) => size(join(app, one)) - size(join(app, other)));
const rows = [
  ["JavaScript of the first page", sum(first, /\.js$/), 120],
  ["the same in German", sum([...first, texts], /\.js$/), 120],
  ["styles of the first page", sum(first, /\.css$/), 18],
  ["JavaScript of all pages", sum(files, /\.js$/) - sum(german, /\.js$/), 350],
  ["the same in German", sum(files, /\.js$/), 373],
  ["styles of all pages", sum(files, /\.css$/), 18],
  ["fonts of the first page", fonts.reduce((all, name) => all + statSync(join(app, name)).size, 0), 60],
  ["API browser", size(rapidoc), 240],
];
let tooBig = false;
for (const [what, bytes, most] of rows) {
  const isTooBig = bytes > most * 1000;
  tooBig ||= isTooBig;
  console.log(
    `${what.padEnd(36)} ${(bytes / 1000).toFixed(1).padStart(7)} kB of ${most}${isTooBig ? "  TOO BIG" : ""}`,
  );
}
process.exit(tooBig ? 1 : 0);
