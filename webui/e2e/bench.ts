// Measures the web UI in a real Chromium on a million events, and prints each figure beside its goal.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { resolve } from "node:path";
import type { Browser, CDPSession, Page } from "playwright-core";
import { launch, ready } from "./launch.ts";
import { percentile, Report } from "./measures.ts";
import { environment, PYTHON, ROOT } from "./process.ts";
import { ServerProcess } from "./server-process.ts";

const DAYS = "400";
const CROWDED_DAY = 100_000; // events of one day, on one device
const folder = resolve(ROOT, "build/bench-ui");
const database = resolve(folder, "million.db");
const report = new Report();

/** The seeded store is made once and kept: it takes a minute. */
function prepare(): void {
  mkdirSync(folder, { recursive: true });
  if (existsSync(database)) return;
  console.log(`making ${DAYS} days of activity in ${database}`);
  const made = spawnSync(
    PYTHON,
    ["-m", "dayline", "demo", "--days", DAYS, "--devices", "3", "--database", database],
    {
      env: environment(folder),
      encoding: "utf-8",
    },
  );
  if (made.status !== 0) throw new Error(made.stderr);
}

async function newPage(browser: Browser): Promise<{ page: Page; cdp: CDPSession }> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  await page.addInitScript(() => {
    const seen = { shift: 0, tasks: [] as number[], events: [] as number[], frames: [] as number[] };
    Object.assign(globalThis, { seen });
    const watch = (
      type: string,
      take: (entry: PerformanceEntry & { value?: number; interactionId?: number }) => void,
      more = {},
    ) =>
      new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({
        type,
        buffered: true,
        ...more,
      });
    watch("layout-shift", (entry) => (seen.shift += entry.value ?? 0));
    watch("longtask", (entry) => seen.tasks.push(entry.duration));
    watch("event", (entry) => entry.interactionId && seen.events.push(entry.duration), {
      durationThreshold: 16,
    });
  });
  return { page, cdp: await context.newCDPSession(page) };
}

interface Seen {
  shift: number;
  tasks: number[];
  events: number[];
  frames: number[];
}
const seen = (page: Page) => page.evaluate(() => (globalThis as unknown as { seen: Seen }).seen);

async function firstLoad(browser: Browser, url: string): Promise<void> {
  for (const [throttle, paint, complete] of [
    [1, 500, 900],
    [4, 1200, 2500],
  ] as const) {
    const paints: number[] = [];
    const readies: number[] = [];
    const shifts: number[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      const { page, cdp } = await newPage(browser);
      await cdp.send("Emulation.setCPUThrottlingRate", { rate: throttle });
      await page.goto(`${url}/#/today`);
      await ready(page);
      const times = await page.evaluate(() => ({
        paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
        ready: performance.now(),
      }));
      paints.push(times.paint);
      readies.push(times.ready);
      await page.waitForTimeout(500);
      shifts.push((await seen(page)).shift);
      await page.context().close();
    }
    const at = throttle === 1 ? "" : `, processor ${throttle} × slower`;
    report.add(`Today, first paint${at}`, percentile(paints, 50), paint, "ms");
    report.add(`Today, ready${at}`, percentile(readies, 50), complete, "ms");
    report.add(`Today, layout shift${at}`, Math.max(...shifts), 0.02, "");
  }
}

/** Starts a clock at the next press of a key; it stops in the frame after what was asked for is there. */
const clock = (page: Page, isThere: string) =>
  page.evaluate((condition) => {
    const isThere = new Function(`return ${condition}`) as () => boolean;
    const took = new Promise<number>((done) => {
      const press = () => {
        const start = performance.now();
        const look = () =>
          isThere()
            ? requestAnimationFrame(() => done(performance.now() - start))
            : requestAnimationFrame(look);
        // What a key does is known in the frame after it.
        requestAnimationFrame(() => requestAnimationFrame(look));
      };
      addEventListener("keydown", press, { once: true, capture: true });
    });
    Object.assign(globalThis, { took });
  }, isThere);
const tookOf = (page: Page) => page.evaluate(() => (globalThis as unknown as { took: Promise<number> }).took);
const untilNumbers = (page: Page) =>
  clock(page, `!document.querySelector("main[aria-busy=true], main [aria-busy=true]")`);
const untilDialog = (page: Page) => clock(page, `document.querySelector("dialog[open]") !== null`);

/** From a press of the key to the new numbers on the screen. */
async function switches(browser: Browser, url: string, name: string): Promise<void> {
  const { page } = await newPage(browser);
  await page.goto(`${url}/#/${name}`);
  await ready(page);
  const times: number[] = [];
  for (let turn = 0; turn < 12; turn += 1) {
    const key = turn % 2 === 0 ? "y" : "d";
    await untilNumbers(page);
    await page.keyboard.press(key);
    const time = await tookOf(page);
    if (turn >= 2) times.push(time); // the first of each is not yet known to the server
    await page.waitForTimeout(300);
  }
  report.add(`${name}, day to year and back, p95`, percentile(times, 95), 500, "ms");
  await page.context().close();
}

async function timeline(browser: Browser, url: string): Promise<void> {
  const { page } = await newPage(browser);
  await page.goto(`${url}/#/timeline?period=year`);
  await ready(page);
  const box = await page.locator("[data-spans]").boundingBox();
  if (!box) throw new Error("there is no timeline");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.waitForTimeout(1500);
  await page.evaluate(() => {
    const all = (globalThis as unknown as { seen: Seen }).seen;
    all.tasks.length = 0;
    let before = performance.now();
    const frame = () => {
      const now = performance.now();
      all.frames.push(now - before);
      before = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  for (const end = Date.now() + 5000; Date.now() < end;) {
    const turn = Math.floor((end - Date.now()) / 700) % 4;
    await page.mouse.wheel(turn === 0 ? 60 : turn === 1 ? -60 : 0, turn === 2 ? -60 : turn === 3 ? 60 : 0);
    await page.waitForTimeout(12);
  }
  const { frames, tasks } = await seen(page);
  report.add("timeline of a year, frame, median", percentile(frames, 50), 17, "ms");
  report.add("timeline of a year, frame, p95", percentile(frames, 95), 34, "ms");
  report.add("timeline of a year, longest task", Math.max(0, ...tasks), 100, "ms");
  await page.context().close();
}

async function crowdedDay(browser: Browser, server: ServerProcess): Promise<void> {
  const bucket = "bench-crowded_laptop";
  const send = (path: string, body: unknown) =>
    fetch(server.url + path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  const day = Date.parse("2020-06-15T06:00:00Z");
  const made = await send(`/api/0/buckets/${bucket}`, {
    client: "bench",
    type: "currentwindow",
    hostname: "crowded",
  });
  if (made.status === 200) {
    for (let from = 0; from < CROWDED_DAY; from += 10_000) {
      const events = Array.from({ length: 10_000 }, (_, place) => ({
        timestamp: new Date(day + (from + place) * 600).toISOString(),
        duration: 0.5,
        data: { app: `App ${place % 30}`, title: `Title ${place % 4000}` },
      }));
      await send(`/api/0/buckets/${bucket}/events`, events);
    }
  }
  const times: number[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    const { page } = await newPage(browser);
    await page.goto(`${server.url}/#/timeline?date=2020-06-15&device=crowded`);
    await ready(page);
    await page.locator("[data-spans]:not([data-spans='0'])").waitFor();
    if (turn > 0) times.push(await page.evaluate(() => performance.now()));
    await page.context().close();
  }
  report.add("timeline, a day of 100,000 events opens", percentile(times, 50), 700, "ms");
}

/** The pages one after the other by keyboard, with windows opened and closed. */
async function tour(page: Page): Promise<void> {
  for (const key of ["t", "l", "r", "c", "s", "p", "q", "b"]) {
    await page.locator("main").focus();
    await page.keyboard.press("g");
    await page.keyboard.press(key);
    await ready(page);
    await page.locator("main").focus(); // a page may begin in a field, which takes every letter
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
}

async function interaction(browser: Browser, url: string): Promise<void> {
  const { page, cdp } = await newPage(browser);
  await page.goto(`${url}/#/today`);
  await ready(page);
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  const openings: number[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    await untilDialog(page);
    await page.keyboard.press("Control+k");
    openings.push(await tookOf(page));
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
  report.add("palette opens", percentile(openings, 50), 50, "ms");
  await tour(page);
  report.add(
    "interaction to next paint, p95 of a tour",
    percentile((await seen(page)).events, 95),
    100,
    "ms",
  );
  const heaps: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    await tour(page);
    await page.goto(`${url}/#/timeline?period=year`);
    await ready(page);
    const box = await page.locator("[data-spans]").boundingBox();
    await page.mouse.move((box?.x ?? 0) + 300, (box?.y ?? 0) + 40);
    for (let turn = 0; turn < 200; turn += 1)
      await page.mouse.wheel(turn % 40 < 20 ? 80 : -80, turn % 10 < 5 ? -30 : 30);
    await cdp.send("HeapProfiler.collectGarbage");
    heaps.push((await cdp.send("Runtime.getHeapUsage")).usedSize / 1e6);
  }
  report.add("heap after the tour and panning", heaps.at(-1) ?? Number.NaN, 120, "MB");
  report.add("heap, growth from the second round to the third", (heaps[2] ?? 0) - (heaps[1] ?? 0), 5, "MB");
  await page.context().close();
}

async function search(browser: Browser, url: string): Promise<void> {
  const { page } = await newPage(browser);
  await page.goto(`${url}/#/search`);
  await ready(page);
  const field = page
    .getByRole("searchbox")
    .or(page.getByRole("combobox", { name: /search/i }))
    .first();
  const times: number[] = [];
  for (const words of ["report", "review design", "budget", "music", "docs python"]) {
    await field.fill("");
    await field.pressSequentially(words, { delay: 30 });
    const start = Date.now();
    await page.locator("main mark").first().waitFor();
    times.push(Date.now() - start);
  }
  report.add("search over 400 days, first hits after the last key", percentile(times, 95), 400, "ms");
  await page.context().close();
}

/** From a heartbeat to the screen, and from the end of a server to the line that says so. */
async function live(browser: Browser, server: ServerProcess): Promise<void> {
  const bucket = "bench-live";
  const send = (path: string, body: unknown) =>
    fetch(`${server.url}/api/0/buckets/${bucket}${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  await send("", { client: "bench", type: "currentwindow", hostname: "live" });
  const { page } = await newPage(browser);
  await page.goto(`${server.url}/#/today?device=live`);
  await ready(page);
  const total = page.locator("[data-figure=active] time");
  const [front, totals]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < 6; turn += 1) {
    const before = await total.getAttribute("datetime").catch(() => null);
    const start = Date.now();
    await send("/events", {
      timestamp: new Date(start - 30_000 + turn * 4000).toISOString(),
      duration: 4,
      data: { app: `App ${start}`, title: "live" },
    });
    await page.locator("[data-now=app]", { hasText: `App ${start}` }).waitFor();
    const shown = Date.now();
    await page.locator(`[data-figure=active] time:not([datetime="${before}"])`).waitFor();
    if (turn > 0) {
      front.push(shown - start);
      totals.push(Date.now() - start);
    }
  }
  report.add("heartbeat, shown as what is in front, p95", percentile(front, 95), 2000, "ms");
  report.add("heartbeat, shown in the total, p95", percentile(totals, 95), 2000, "ms");
  await page.context().close();

  const other = await ServerProcess.start(resolve(folder, "gone.db"));
  const watching = (await newPage(browser)).page;
  await watching.goto(`${other.url}/#/search`);
  await watching.getByText("Live", { exact: true }).waitFor();
  const killed = Date.now();
  await other.end("SIGKILL");
  await watching.getByText("Not connected.", { exact: false }).first().waitFor();
  report.add("server is gone, shown", Date.now() - killed, 3000, "ms");
  await watching.context().close();
}

prepare();
const server = await ServerProcess.start(database);
const browser = await launch();
const parts: Record<string, () => Promise<void>> = {
  load: () => firstLoad(browser, server.url),
  switch: async () => {
    await switches(browser, server.url, "today");
    await switches(browser, server.url, "trends");
  },
  timeline: () => timeline(browser, server.url),
  crowded: () => crowdedDay(browser, server),
  tour: () => interaction(browser, server.url),
  search: () => search(browser, server.url),
  live: () => live(browser, server),
};
const wanted = process.argv.slice(2);
// Once without measuring: a server that was just started has not yet summed up its months.
for (const name of ["today?period=year", "trends?period=year", "timeline?period=year", "search?q=report"]) {
  const { page } = await newPage(browser);
  await page.goto(`${server.url}/#/${name}`);
  await ready(page);
  await page.context().close();
}
for (const [name, measure] of Object.entries(parts))
  if (wanted.length === 0 || wanted.includes(name)) await measure();
await browser.close();
await server.end("SIGTERM");
spawnSync(process.execPath, [resolve(ROOT, "webui/scripts/check-size.mjs")], { stdio: "inherit" });
