// Pictures of every page, light and dark, in three widths, full and empty: build/screenshots/<page>-<theme>-<width>-<state>.png
// Say names of pages to take only these.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { PAGES } from "./all-pages.ts";
import { launch, ready } from "./launch.ts";
import { environment, PYTHON, ROOT } from "./process.ts";
import { ServerProcess } from "./server-process.ts";

// A narrow window is made as high as what is in it, or its bar at the bottom would lie in the middle of the picture.
const WIDTHS = { 390: 2600, 1024: 768, 1440: 900 };
const wanted = process.argv.slice(2);
const output = resolve(ROOT, "build/screenshots");
mkdirSync(output, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), "dayline-shots-"));
const browser = await launch();

for (const state of ["full", "empty"] as const) {
  const database = join(folder, `${state}.db`);
  if (state === "full") {
    const made = spawnSync(PYTHON, ["-m", "dayline", "demo", "--days", "90", "--database", database], {
      env: environment(folder),
      encoding: "utf-8",
    });
    if (made.status !== 0) throw new Error(made.stderr);
  }
  const server = await ServerProcess.start(database);
  for (const colorScheme of ["light", "dark"] as const) {
    for (const [width, height] of Object.entries(WIDTHS)) {
      const context = await browser.newContext({
        viewport: { width: Number(width), height },
        colorScheme,
        reducedMotion: "reduce",
      });
      const page = await context.newPage();
      for (const name of [...PAGES, "today?period=year"]) {
        const title = name.replace(/\?.*=/, "-");
        if (wanted.length > 0 && !wanted.some((each) => title.startsWith(each))) continue;
        await page.goto(`${server.url}/#/${name}`);
        await ready(page);
        await page.screenshot({
          path: join(output, `${title}-${colorScheme}-${width}-${state}.png`),
          fullPage: Number(width) >= 720,
        });
      }
      await context.close();
      console.log(`${state}, ${colorScheme}, ${width} px wide`);
    }
  }
  await server.end("SIGTERM");
}
await browser.close();
rmSync(folder, { recursive: true, force: true });
console.log(`in ${output}`);
