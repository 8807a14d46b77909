import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { violations } from "./axe.ts";
import { expectNoOverflow, open, openBrowser, ready, undoByMessage } from "./browser.ts";
import { ago, demoServer, Server, uniqueName } from "./server.ts";

interface Row {
  key: string | string[];
  seconds: number;
  category?: string[];
}
interface Summary {
  totals: { active: number };
  lists: Record<string, Row[]>;
  range: { start: string; end: string };
}

const ZONE = "Europe/Berlin";
let server: Server;
let page: Page;
/** A day of the demo that is over, and that has time on it. */
let day: string;

function summary(query: string): Promise<Summary> {
  return server.get<Summary>(`/api/1/summary?tz=${ZONE}&${query}`);
}

/** The whole seconds that each row of a list shows, in its order. */
function shownSeconds(list: string): Promise<number[]> {
  return page
    .getByRole("list", { name: list, exact: true })
    .locator("time")
    .evaluateAll((times) => times.map((time) => Number(time.getAttribute("datetime")?.slice(2, -1))));
}

async function activeSeconds(): Promise<number> {
  const text = await page.locator("[data-figure=active] time").getAttribute("datetime");
  return Number(text?.slice(2, -1));
}

/** Open a page of the day, which the test works on. */
async function visit(hash: string): Promise<void> {
  ({ page } = await open(`${server.url}/${hash}`, { timezoneId: ZONE, locale: "en-GB" }));
}

beforeAll(async () => {
  server = await demoServer();
  const now = Date.now();
  for (let back = 2; back < 9; back += 1) {
    day = new Date(now - back * 86_400_000).toISOString().slice(0, 10);
    const { lists } = await summary(`period=day&date=${day}&by=project`);
    if (lists["project"]?.length) break;
  }
});

describe("the lists of a day", () => {
  beforeEach(() => visit(`#/today?date=${day}`));

  it("show what the summary says, and its categories add up to the active time", async () => {
    const told = await summary(`period=day&date=${day}&by=category,app,title,domain&limit=8&depth=1`);
    for (const [field, list] of [
      ["category", "Categories"],
      ["app", "Apps"],
      ["title", "Titles"],
    ] as const)
      expect(await shownSeconds(list)).toEqual(told.lists[field]?.map((row) => Math.round(row.seconds)));
    expect(await activeSeconds()).toBe(Math.round(told.totals.active));
    const all = await summary(`period=day&date=${day}&by=category&limit=1000`);
    const sum = all.lists["category"]?.reduce((total, row) => total + row.seconds, 0) ?? 0;
    expect(sum).toBeCloseTo(all.totals.active, 3);
  });

  it("are all filtered by a click on one row, which the address keeps and back takes off", async () => {
    const row = page.getByRole("list", { name: "Apps" }).locator("[aria-pressed=false]").first();
    const name = await row.locator(".truncate").innerText();
    await row.click();
    await page.getByRole("button", { name: `Remove the filter app is ${name}` }).waitFor();
    const told = await summary(
      `period=day&date=${day}&by=category,title&limit=8&depth=1&filter=app:is:${encodeURIComponent(name)}`,
    );
    const expected = (field: string) => told.lists[field]?.map((each) => Math.round(each.seconds));
    await expect.poll(() => shownSeconds("Categories")).toEqual(expected("category"));
    expect(await shownSeconds("Titles")).toEqual(expected("title"));
    expect(await activeSeconds()).toBe(Math.round(told.totals.active));
    await page.reload();
    await ready(page);
    const pressed = page.getByRole("list", { name: "Apps" }).getByRole("button", { pressed: true });
    expect(await pressed.count()).toBe(1);
    expect(await activeSeconds()).toBe(Math.round(told.totals.active));
    await page.goBack();
    await expect.poll(() => pressed.count()).toBe(0);
    const whole = await summary(`period=day&date=${day}`);
    await expect.poll(activeSeconds).toBe(Math.round(whole.totals.active));
  });

  it("have a longest focus that tells what interrupted it and what ended it", async () => {
    const told = await server.get<{ totals: { focus: { interruptions: number; interrupted: number } } }>(
      `/api/1/summary?tz=${ZONE}&period=day&date=${day}`,
    );
    const { interruptions, interrupted } = told.totals.focus;
    await page.getByRole("button", { name: /^Longest focus: / }).click();
    const details = page.getByRole("dialog", { name: /^Longest focus: / });
    await details.getByText("Interruptions of less than two minutes").waitFor();
    expect(await details.getAttribute("aria-label")).toContain(
      interruptions ? `${interruptions} short interruption` : "No interruptions",
    );
    if (interruptions)
      expect(await details.locator("time").last().getAttribute("datetime")).toBe(
        `PT${Math.round(interrupted)}S`,
      );
    expect(await violations(page, "[popover]:popover-open")).toEqual([]);
    await page.keyboard.press("Escape");
    await expect.poll(() => details.count()).toBe(0);
  });

  it("have tables with the same numbers", async () => {
    await page.getByRole("button", { name: /: Apps$/ }).click();
    const table = page.getByRole("dialog").getByRole("table");
    const told = await summary(`period=day&date=${day}&by=app&limit=1000`);
    await expect.poll(() => table.getByRole("row").count()).toBe((told.lists["app"]?.length ?? 0) + 1);
    const shown = await table
      .locator("time")
      .evaluateAll((times) => times.map((time) => time.getAttribute("datetime")));
    expect(shown).toEqual(told.lists["app"]?.map((row) => `PT${Math.round(row.seconds)}S`));
    expect(await violations(page, "dialog[open]")).toEqual([]);
  });

  it("tell of a row why it has its category, as the server decided it", async () => {
    const told = await summary(`period=day&date=${day}&by=app,domain,title&limit=8`);
    for (const [list, field] of [
      ["Apps", "app"],
      ["Titles", "title"],
      ["Domains", "domain"],
    ] as const) {
      const first = told.lists[field]?.[0];
      const answered = page.waitForResponse((response) => response.url().endsWith("/categories/explain"));
      // The button shows when the pointer or the focus is in its row.
      const more = page
        .getByRole("button", { name: `More actions for ${first?.key as string}`, exact: true })
        .first();
      await more.focus();
      await more.click();
      await page.getByRole("menuitem", { name: "Why this category?" }).click();
      const found = (await (await answered).json()) as {
        category: string[];
        winner: { pattern: string } | null;
      };
      expect(found.category, list).toEqual(first?.category);
      const dialog = page.getByRole("dialog");
      const shown = await dialog.innerText();
      expect(shown).toContain(found.winner ? found.winner.pattern : "no rule matches");
      if (list === "Apps") expect(await violations(page, "dialog[open]")).toEqual([]);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
  });
});

describe("the strip of a day", () => {
  const strip = () => page.getByRole("listbox");
  const selection = () => page.getByRole("region", { name: "Selection" });
  beforeEach(() => visit(`#/today?date=${day}`));

  async function select(): Promise<void> {
    const box = await strip().boundingBox();
    if (!box) throw new Error("the strip is not there");
    await page.mouse.move(box.x + box.width * 0.3, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 12, { steps: 4 });
    await page.mouse.up();
    await selection().waitFor();
  }

  it("names its spans with what, how long and when, and its table has the same", async () => {
    await strip().focus();
    await page.keyboard.press("End");
    const id = await strip().getAttribute("aria-activedescendant");
    const name = await page.locator(`[id="${id}"]`).getAttribute("aria-label");
    expect(name).toMatch(/, .*(second|minute|hour).*, \d+ \w+ \d\d:\d\d to \d\d:\d\d/);
    const spans = await strip().getByRole("option").count();
    await page.getByRole("button", { name: "Show as a table", exact: true }).click();
    await expect
      .poll(() =>
        page
          .getByRole("region", { name: /^Spans/ })
          .getByRole("row")
          .count(),
      )
      .toBe(spans + 1);
  });

  it("sums up what is dragged over, and a reload keeps it", async () => {
    await select();
    const [start, end] = (
      new URLSearchParams(new URL(page.url()).hash.split("?")[1]).get("select") ?? ""
    ).split("~");
    const told = await summary(`start=${start}&end=${end}&by=category&limit=4&depth=1`);
    const shown = () =>
      selection()
        .getByRole("list", { name: "Categories in the selection" })
        .locator("time")
        .evaluateAll((times) => times.map((time) => time.getAttribute("datetime")));
    const expected = told.lists["category"]?.map((row) => `PT${Math.round(row.seconds)}S`);
    await expect.poll(shown).toEqual(expected);
    await page.reload();
    await ready(page);
    expect(await shown()).toEqual(expected);
  });

  it("lets a selection be annotated, and the annotation be undone", async () => {
    const text = uniqueName("Stand-up");
    const kept = async () =>
      JSON.stringify(await server.get("/api/1/annotations")).includes(JSON.stringify(text));
    await select();
    await selection().getByRole("button", { name: "Annotate" }).click();
    await page.getByRole("textbox", { name: "Note" }).fill(text);
    expect(await violations(page, "dialog[open]")).toEqual([]);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(kept).toBe(true);
    await undoByMessage(page, `Annotated “${text}”`);
    await expect.poll(kept).toBe(false);
    await page.getByRole("listbox").focus();
    await page.keyboard.press("Escape");
    await selection().waitFor({ state: "detached" });
  });
});

it("time without a category leads to suggestions for the same day", async () => {
  await visit(`#/today?date=${day}`);
  await page.getByRole("link", { name: "Review uncategorized" }).click();
  await expect.poll(() => page.url()).toContain("#/categories");
  const params = new URLSearchParams(page.url().split("?")[1]);
  expect([params.get("period") ?? "day", params.get("date"), params.get("step")]).toEqual([
    "day",
    day,
    "rule",
  ]);
});

it("a row is one tab stop, and the arrow keys lead to its actions and to the other rows", async () => {
  await visit(`#/today?date=${day}`);
  const list = page.getByRole("list", { name: "Apps" });
  const rows = await list.getByRole("listitem").count();
  const stops = (scope: string) =>
    page
      .locator(`${scope} :is(a[href], button, input, select, [tabindex='0'])`)
      .evaluateAll(
        (all) =>
          all.filter((each) => each instanceof HTMLElement && each.tabIndex >= 0 && each.checkVisibility())
            .length,
      );
  expect(await stops("ul[aria-label=Apps]")).toBe(rows);
  expect(await stops("main")).toBeLessThan(75);
  const named = (text: RegExp) =>
    expect
      .poll(() =>
        page.evaluate(
          () => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent,
        ),
      )
      .toMatch(text);
  const names = await list.locator(".truncate").allTextContents();
  // No space is reserved for the menu of a row, which shows when the pointer or the focus is on it.
  const room = await list
    .getByRole("listitem")
    .first()
    .evaluate(
      (row) =>
        row.getBoundingClientRect().right - (row.querySelector("time")?.getBoundingClientRect().right ?? 0),
    );
  expect(room).toBeLessThan(12);
  await list.locator("[data-row]").first().focus();
  await page.keyboard.press("ArrowRight");
  await named(/^More actions for/);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await named(/^Change the category of/);
  await page.keyboard.press("ArrowDown");
  await named(new RegExp((names[1] ?? "").slice(0, 12).replace(/[^\w\s]/g, ".")));
});

it("by keys alone, yesterday's largest category is found", async () => {
  await visit("#/today");
  const before = new Date(
    Date.parse(`${(await summary("period=day")).range.start.slice(0, 10)}T00:00Z`) - 86_400_000,
  );
  const told = await summary(
    `period=day&date=${before.toISOString().slice(0, 10)}&by=category&limit=1&depth=1`,
  );
  await page.keyboard.press("[");
  await expect.poll(activeSeconds).toBe(Math.round(told.totals.active));
  await page.keyboard.press("Tab");
  const row = page.getByRole("list", { name: "Categories" }).locator("[aria-pressed=false]").first();
  for (let step = 0; step < 60 && !(await row.evaluate((each) => each === document.activeElement)); step += 1)
    await page.keyboard.press("Tab");
  const name = (told.lists["category"]?.[0]?.key as string[])
    .join(" › ")
    .replace("Uncategorized", "Uncategorized");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain(name);
});

it("a week is shown by its days, each of which leads to it", async () => {
  await visit(`#/today?period=week&date=${day}`);
  const bars = page.getByRole("list", { name: /^Active time/ }).getByRole("link");
  expect(await bars.count()).toBe(7);
  await page.getByRole("button", { name: "Show as a table", exact: true }).click();
  expect(
    await page
      .getByRole("region", { name: /^Table/ })
      .getByRole("row")
      .count(),
  ).toBe(8);
  await page.getByRole("button", { name: "Show as a table", exact: true }).click();
  await bars.first().focus();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.url()).toContain("date=");
  await page
    .getByRole("listbox")
    .or(page.getByText(/Nothing (was )?recorded/))
    .first()
    .waitFor();
});

it("goals are made, deleted and brought back", async () => {
  const name = uniqueName("Deep work");
  await visit("#/today");
  await page.getByRole("button", { name: "New goal", exact: true }).click();
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Category", { exact: true }).selectOption("Work");
  expect(await violations(page, "dialog[open]")).toEqual([]);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const bar = page.getByRole("progressbar", { name });
  await bar.waitFor();
  expect(await bar.getAttribute("aria-valuetext")).toContain("of at least 4 hours");
  await page.getByRole("button", { name: `Actions for the goal ${name}` }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await bar.waitFor({ state: "detached" });
  await undoByMessage(page, `Goal “${name}” deleted`);
  await bar.waitFor();
});

it("days on which clocks are set have 23 and 25 hours, in a zone that is not the browser's", async () => {
  await server.call("PATCH", "/api/1/settings", { time_zone: ZONE });
  onTestFinished(async () => void (await server.call("PATCH", "/api/1/settings", { time_zone: null })));
  const clock = await server.addBucket("clock", {
    type: "currentwindow",
    events: [
      { timestamp: "2025-03-30T00:30:00Z", duration: 3600, data: { app: "Clock", title: "spring" } },
      { timestamp: "2025-10-26T00:30:00Z", duration: 3600, data: { app: "Clock", title: "autumn" } },
    ],
  });
  const other = await open(`${server.url}/#/today?date=2025-03-29&device=${clock}`, {
    timezoneId: "America/New_York",
    locale: "en-GB",
  });
  for (const [date, hours, from] of [
    ["2025-03-29", 23, "01:30 to 03:30"],
    ["2025-10-25", 25, "02:30 to 02:30"],
  ] as const) {
    await other.page.goto(`${server.url}/#/today?date=${date}&device=${clock}`);
    const strip = other.page.locator(`[role=listbox][data-hours="${hours}"]`);
    await strip.waitFor();
    expect(await strip.getByRole("option").first().getAttribute("aria-label")).toContain(from);
    expect(await strip.getByRole("option").first().getAttribute("aria-label")).toContain("1 hour,");
    expect(await other.page.locator("[data-figure=active] time").getAttribute("datetime")).toBe("PT3600S");
  }
});

it("a heartbeat shows at once in what is in front now, and in the total", async () => {
  const bucket = await server.addBucket("pulse", { type: "currentwindow" });
  await visit(`#/today?device=${bucket}`);
  const beat = (secondsAgo: number, app: string) =>
    server.post(`/api/0/buckets/${bucket}/heartbeat?pulsetime=60`, {
      timestamp: ago(secondsAgo),
      duration: 0,
      data: { app, title: "live" },
    });
  await beat(40, "Gazette");
  await page.locator("[data-now=app]", { hasText: "Gazette" }).waitFor();
  await beat(1, "Gazette");
  await expect.poll(activeSeconds).toBeGreaterThanOrEqual(38);
  await beat(0, "Almanac");
  await page.locator("[data-now=app]", { hasText: "Almanac" }).waitFor();
});

it("a timer is started and stopped, and kept as ActivityWatch keeps its own", async () => {
  const label = uniqueName("Reading");
  await visit("#/today");
  await page.getByRole("button", { name: "Start a timer" }).click();
  await page.getByLabel("What are you doing?").fill(label);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: `Stop the timer ${label}` }).click();
  await page.getByText(`Timer “${label}” stopped`).waitFor();
  const events = await server.get<{ data: { label: string } }[]>("/api/0/buckets/aw-stopwatch/events");
  expect(events.map(({ data }) => data)).toContainEqual({ label, running: false });
});

// Undo looked for the new event among the 50 newest ones by its label and time; it did nothing if the event was not there.
it("starting a timer can be undone, however many events the bucket has", async () => {
  const own = await Server.startForTest();
  await own.post("/api/0/buckets/aw-stopwatch", { client: "t", type: "general.stopwatch", hostname: "h" });
  const later = Array.from({ length: 60 }, (_, minute) => ({
    timestamp: ago(-3600 - 60 * minute),
    duration: 1,
    data: { label: "planned", running: false },
  }));
  await own.post("/api/0/buckets/aw-stopwatch/events", later);
  ({ page } = await open(`${own.url}/#/today`, { timezoneId: ZONE, locale: "en-GB" }));
  await page.getByRole("button", { name: "Start a timer" }).click();
  await page.getByLabel("What are you doing?").fill("Reading");
  await page.keyboard.press("Enter");
  await undoByMessage(page, "Timer “Reading” started");
  const count = () => own.get<number>("/api/0/buckets/aw-stopwatch/events/count");
  await expect.poll(count).toBe(60);
});

it("a day without anything leads to the nearest one that has something", async () => {
  const own = await Server.startForTest(); // days of other tests on the shared server may be nearer
  ({ page } = await open(`${own.url}/#/today?date=2024-02-29`, { timezoneId: ZONE, locale: "en-GB" }));
  await page.getByRole("button", { name: /^Go to/ }).click();
  await expect.poll(activeSeconds).toBeGreaterThan(0);
});

it("fits into a window of 320 pixels", async () => {
  await visit(`#/today?date=${day}`);
  await page.setViewportSize({ width: 320, height: 700 });
  await expectNoOverflow(page);
});

it("asks for everything that a day shows before the first answer, and for nothing twice", async () => {
  // Its parts were requested one after the other: those of the strip and the goals when the summary had arrived.
  const other = await open(`${server.url}/#/today?date=${day}`, { timezoneId: ZONE });
  const asked: string[] = [];
  let answer = () => {};
  const isSeen = new Promise<void>((done) => (answer = done));
  other.page.on("request", (request) =>
    asked.push(new URL(request.url()).pathname + new URL(request.url()).search),
  );
  await other.page.route("**/api/1/summary?*", async (route) => {
    await isSeen;
    await route.continue();
  });
  await other.page.reload();
  const paths = {
    "/api/1/timeline?": 2, // active time, and when someone was away
    "/api/1/annotations?": 1,
    "/api/1/goals/progress?": 1,
    "/api/1/categories": 1,
    "/api/1/projects": 1,
  };
  for (const [path, count] of Object.entries(paths))
    await expect.poll(() => asked.filter((each) => each.startsWith(path)).length).toBe(count);
  answer();
  await ready(other.page);
  const data = asked.filter((each) =>
    /^\/api\/1\/(summary|timeline|goals|categories|annotations|projects)/.test(each),
  );
  expect(data).toEqual([...new Set(data)]);
});

it("shows what was recorded after the first answer and before the stream began", async () => {
  // No message of the stream names it: the revision in `hello` was ignored.
  const own = await Server.startForTest({ data: "empty" });
  await own.post("/api/0/buckets/window", { client: "t", type: "currentwindow", hostname: "h" });
  const record = (hour: number) =>
    own.post("/api/0/buckets/window/events", {
      timestamp: `2026-03-05T${hour}:00:00Z`,
      duration: 600,
      data: { app: "Code", title: "main.py" },
    });
  await record(10);
  const context = await (await openBrowser()).newContext({ timezoneId: ZONE });
  onTestFinished(() => context.close());
  page = await context.newPage();
  // The requests of a shared worker cannot be held.
  await page.addInitScript(() => Reflect.deleteProperty(globalThis, "SharedWorker"));
  let begin = () => {};
  const mayBegin = new Promise<void>((done) => (begin = done));
  await page.route("**/api/1/stream*", async (route) => {
    await mayBegin;
    await route.continue();
  });
  await page.goto(`${own.url}/#/today?date=2026-03-05`);
  await expect.poll(activeSeconds).toBe(600);
  await record(12);
  begin();
  await expect.poll(activeSeconds).toBe(1200);
});
