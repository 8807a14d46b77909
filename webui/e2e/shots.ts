// Pictures of every page, light and dark, in three widths, full, empty, in German, without categories, with a day of
// 100,000 events, and with errors: build/screenshots/<page>-<theme>-<width>-<state>.png
// Say names of pages to take only these.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { PAGES } from "./all-pages.ts";
import { launch, ready } from "./launch.ts";
import { environment, PYTHON, ROOT } from "./process.ts";
import { ServerProcess } from "./server-process.ts";

// A narrow window is made as high as what is in it, or its bar at the bottom would lie in the middle of the picture.
const HEIGHTS: Readonly<Record<number, number>> = { 390: 2600, 1024: 768, 1440: 900 };
const wanted = process.argv.slice(2);
const output = resolve(ROOT, "build/screenshots");
mkdirSync(output, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), "dayline-shots-"));
const browser = await launch();

/** What is photographed: the look of every state, then German and errors in fewer widths. */
const SERIES = [
  ...(["full", "empty"] as const).flatMap((state) =>
    (["light", "dark"] as const).map((theme) => ({
      state,
      theme,
      widths: [390, 1024, 1440],
      locale: "en-GB",
    })),
  ),
  { state: "full", theme: "light", widths: [390, 1024, 1440], locale: "de-DE" },
  { state: "uncategorized", theme: "light", widths: [390, 1440], locale: "en-GB" },
  { state: "crowded", theme: "dark", widths: [390, 1440], locale: "en-GB" },
  { state: "error", theme: "dark", widths: [390, 1440], locale: "en-GB" },
] as const;

const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
const CROWDED = 100_000; // events of yesterday

/** The pages of a state: a crowded day is looked at where days are shown. */
function pagesOf(state: string): readonly string[] {
  if (state !== "crowded") return [...PAGES, "today?period=year"];
  return ["today", "timeline", "timeline?view=table", "review", "search?q=Title"].map(
    (page) => `${page}${page.includes("?") ? "&" : "?"}date=${YESTERDAY}`,
  );
}

const databaseOf = (state: string) => join(folder, `${state}.db`);
const made = spawnSync(PYTHON, ["-m", "dayline", "demo", "--days", "90", "--database", databaseOf("full")], {
  env: environment(folder),
  encoding: "utf-8",
});
if (made.status !== 0) throw new Error(made.stderr);
copyFileSync(databaseOf("full"), databaseOf("uncategorized"));

async function send(url: string, method: string, body: unknown): Promise<void> {
  const response = await fetch(url, {
    method,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
}

/** What makes a state differ from the demo and from an empty store. */
const PREPARED: Readonly<Record<string, (url: string) => Promise<void>>> = {
  uncategorized: (url) => send(`${url}/api/1/categories`, "PUT", { categories: [] }),
  crowded: async (url) => {
    const bucket = `${url}/api/0/buckets/aw-watcher-window_crowded`;
    await send(bucket, "POST", { client: "aw-watcher-window", type: "currentwindow", hostname: "crowded" });
    const start = Date.parse(`${YESTERDAY}T06:00:00Z`);
    for (let from = 0; from < CROWDED; from += 10_000)
      await send(
        `${bucket}/events`,
        "POST",
        Array.from({ length: 10_000 }, (_, place) => ({
          timestamp: new Date(start + (from + place) * 600).toISOString(),
          duration: 0.5,
          data: { app: `App ${place % 30}`, title: `Title ${place % 4000}` },
        })),
      );
  },
};

const servers = new Map<string, ServerProcess>();
for (const state of ["full", "empty", ...Object.keys(PREPARED)]) {
  const server = await ServerProcess.start(databaseOf(state));
  await PREPARED[state]?.(server.url);
  servers.set(state, server);
}

for (const { state, theme, widths, locale } of SERIES) {
  const url = servers.get(state === "error" ? "full" : state)?.url ?? "";
  const kind = locale === "en-GB" ? state : `${state}-german`;
  for (const width of widths) {
    const context = await browser.newContext({
      viewport: { width, height: HEIGHTS[width] ?? 900 },
      colorScheme: theme,
      reducedMotion: "reduce",
      locale,
    });
    const page = await context.newPage();
    if (state === "error")
      await page.route(/\/api\/[01]\/(?!session|settings|info|stream)/, (route) =>
        route.fulfill({
          status: 422,
          json: { message: "the request cannot be answered", hint: "see the log" },
        }),
      );
    for (const name of pagesOf(state)) {
      const title = name
        .replace(/&?date=[\d-]+/, "")
        .replace(/\?(.*=)?/, "-")
        .replace(/-$/, "");
      if (wanted.length > 0 && !wanted.some((each) => title.startsWith(each))) continue;
      await page.goto(`${url}/#/${name}`);
      // A page whose requests fail is never ready.
      if (state === "error")
        await page
          .getByRole("alert")
          .first()
          .waitFor({ timeout: 5000 })
          .catch(() => undefined);
      else await ready(page);
      await page.screenshot({
        path: join(output, `${title}-${theme}-${width}-${kind}.png`),
        fullPage: width >= 720,
      });
    }
    await context.close();
    console.log(`${kind}, ${theme}, ${width} px wide`);
  }
}
await Promise.all([...servers.values()].map((server) => server.end("SIGTERM")));
await browser.close();
rmSync(folder, { recursive: true, force: true });
console.log(`in ${output}`);
