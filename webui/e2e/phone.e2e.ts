// Phones and narrow windows: one bar, data first, a day from top to bottom, and targets that a finger hits.
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { violations } from "./axe.ts";
import { expectNoOverflow, open, openBrowser, ready } from "./browser.ts";
import { FLAGS } from "./launch.ts";
import { chromium } from "playwright-core";
import { demoServer, type Server, uniqueName } from "./server.ts";

const PHONE = { width: 390, height: 844 };
let server: Server;
/** A day of the demo that is over, and that has time on it. */
let day: string;

beforeAll(async () => {
  server = await demoServer();
  const series = await server.get<{ edges: string[]; total: number[] }>(
    "/api/1/series?period=last-7-days&bin=day&by=category&tz=UTC",
  );
  const busiest = series.total.indexOf(Math.max(...series.total.slice(0, -1)));
  day = series.edges[busiest]?.slice(0, 10) ?? "";
  const deleted = uniqueName("deleted");
  await server.post(`/api/0/buckets/${deleted}`, { client: "test", type: "test", hostname: deleted });
  await server.call("DELETE", `/api/0/buckets/${deleted}`);
});

/** A page on a phone: a finger instead of a mouse. */
async function openPhone(hash: string, locale = "en-GB"): Promise<Page> {
  const context = await (
    await openBrowser()
  ).newContext({
    viewport: PHONE,
    hasTouch: true,
    isMobile: true,
    locale,
    timezoneId: "UTC",
    reducedMotion: "reduce",
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(`${server.url}/#/${hash}`);
  await ready(page);
  return page;
}

/** How far from the top of the window an element begins. */
async function topOf(page: Page, selector: string): Promise<number> {
  const box = await page.locator(`main ${selector}`).first().boundingBox();
  if (!box) throw new Error(`${selector} is not on the page`);
  return box.y;
}

describe("on a phone", () => {
  it.each([
    ["today?date=DAY", "[data-figure]"],
    ["timeline?date=DAY", "ol[data-day]"],
    ["timeline?date=DAY&view=week", "h2"],
    ["trends?period=year", "[role=grid]"],
    ["review?period=week&date=DAY", "[data-card] svg"],
    ["search?q=report", "[data-total]"],
    ["reports?period=month&date=DAY", "article"],
    ["today?period=week&date=DAY", "[data-figure]"],
    ["trends?period=month&date=DAY", "[role=grid]"],
    ["categories", "[role=treeitem]"],
    ["query", "textarea"],
    ["buckets", "tbody tr"],
    ["buckets?tab=trash", "tbody tr"],
    ["buckets?tab=import", "section > div:last-child"],
    ["buckets?tab=export", "section > div:last-child"],
    ["buckets?tab=space", "table"],
    ["access", "section > div:last-child"],
    ["backups", "button"],
    ["settings", "[data-setting]"],
    ["settings/privacy", "[data-setting]"],
    ["settings/data", "[data-setting]"],
  ])("the data of %s begins within 120 px of the top", async (hash, selector) => {
    const page = await openPhone(hash.replace("DAY", day));
    // The notice about demo data is no part of the page.
    await page.evaluate(() =>
      document.querySelector("main p:has(+ *) svg.lucide-flask-conical")?.closest("p")?.remove(),
    );
    expect(await topOf(page, selector)).toBeLessThanOrEqual(120);
    await expectNoOverflow(page);
  });

  it("a timesheet is a card for each day with its total and its titles, and scrolls in one direction", async () => {
    // It was a table of more columns than fit, with the titles beyond the edge.
    const page = await openPhone(`reports?period=week&date=${day}&by=title`);
    const sheet = page.getByRole("region", { name: "Timesheet" });
    expect(await sheet.evaluate((each) => each.scrollWidth <= each.clientWidth)).toBe(true);
    const title = await sheet.locator("tbody .key").first().boundingBox();
    expect(title?.width).toBeGreaterThan(200);
    const text = (await sheet.locator("tbody .key").first().textContent()) ?? "";
    await page.goto(page.url().replace("by=title", "by=category"));
    await ready(page);
    expect(await sheet.evaluate((each) => each.scrollWidth <= each.clientWidth)).toBe(true);
    const [date, total] = await Promise.all(
      [".name", ".total"].map((part) => sheet.locator(`tbody tr:first-child ${part}`).boundingBox()),
    );
    expect(Math.round(total?.y ?? 0)).toBe(Math.round(date?.y ?? -1));
    expect(await violations(page, "main")).toEqual([]);
    // Without the cells that are not shown, a screen reader announced the others with the wrong headers.
    const heads = await sheet.getByRole("columnheader").count();
    const row = sheet.locator("tbody tr").first();
    expect(await row.getByRole("cell").count()).toBe(heads - (await row.getByRole("rowheader").count()));
    // The only title is a column; its name in the cards was readable while titles were hidden.
    await page.goto(
      `${server.url}/#/reports?date=${day}&by=title&filter=${encodeURIComponent(`title:is:${text}`)}`,
    );
    await ready(page);
    await page.evaluate(() => (document.documentElement.dataset.titles = "hidden"));
    const label = sheet.locator(`tbody td[data-head=${JSON.stringify(text)}]`).first();
    expect(await label.evaluate((each) => getComputedStyle(each, "::before").filter)).toContain("blur");
  });

  it("the bar is one line of 48 px with a sheet for period, devices, filter and comparison", async () => {
    const page = await openPhone(`today?date=${day}`);
    const bar = page.locator("[data-bar=context]");
    expect((await bar.boundingBox())?.height).toBeLessThanOrEqual(49);
    await page.getByRole("button", { name: "View options" }).tap();
    const sheet = page.getByRole("dialog", { name: "View options" });
    const box = await sheet.boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBe(PHONE.height);
    expect(box?.width).toBe(PHONE.width);
    expect(await violations(page, "dialog[open]")).toEqual([]);
    await sheet.getByLabel("Compare with").selectOption("year");
    await sheet.getByRole("radio", { name: "Week" }).check({ force: true });
    await expect.poll(() => page.url()).toContain("period=week");
    await sheet.getByRole("button", { name: "Add filter" }).tap();
    const filter = page.getByRole("dialog", { name: "Add filter" });
    await filter.getByLabel("Value").fill("Code");
    await filter.getByRole("button", { name: "Add filter" }).tap();
    await page.getByRole("button", { name: "View options, 2 set" }).waitFor();
    await page.getByRole("button", { name: /^Remove the filter/ }).waitFor();
    expect((await bar.boundingBox())?.height).toBeLessThanOrEqual(49 + 52);
  });

  it("a day goes from top to bottom, and a tap on a session opens a sheet with its summary and actions", async () => {
    const page = await openPhone(`timeline?date=${day}`);
    const { sessions } = await server.get<{ sessions: { title: string; start: string; end: string }[] }>(
      `/api/1/timeline/sessions?period=day&date=${day}&tz=UTC`,
    );
    const blocks = page.locator("ol[data-day] > li");
    await expect.poll(() => blocks.count()).toBe(sessions.length);
    const heights = await blocks.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
    const lengths = sessions.map(({ start, end }) => Date.parse(end) - Date.parse(start));
    const longest = lengths.indexOf(Math.max(...lengths));
    expect(heights[longest]).toBe(Math.max(...heights));
    expect(await violations(page, "main")).toEqual([]);
    await blocks.nth(longest).getByRole("button").tap();
    const sheet = page.getByRole("dialog", { name: "Events in this span" });
    await sheet.getByRole("list", { name: "Apps" }).getByRole("listitem").first().waitFor();
    await sheet.getByRole("list", { name: "Titles" }).getByRole("listitem").first().waitFor();
    for (const name of ["Annotate", "Split"])
      await sheet.getByRole("button", { name, exact: true }).waitFor();
    const box = await sheet.boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBe(PHONE.height);
    expect(await violations(page, "dialog[open]")).toEqual([]);
    await sheet.getByRole("button", { name: "Events", exact: true }).tap();
    await sheet.getByRole("list", { name: "Events" }).getByRole("listitem").first().waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await blocks.first().waitFor();
  });

  it("the table of the timeline is made of cards, in which titles have the width", async () => {
    const page = await openPhone(`timeline?date=${day}&view=table`);
    const cards = page.getByRole("list", { name: "Spans" }).locator("li[data-span]");
    await cards.first().waitFor();
    const widths = await cards
      .locator("p:first-child > span:first-child")
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().width));
    expect(Math.min(...widths)).toBeGreaterThan(190);
    await expectNoOverflow(page);
    expect(await violations(page, "main")).toEqual([]);
    await cards.first().getByRole("button").first().tap();
    await page.getByRole("dialog").waitFor();
  });

  it("titles of hits have most of the width", async () => {
    const page = await openPhone("search?q=report");
    const widths = await page
      .locator("[data-hit]")
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().width));
    expect(widths.length).toBeGreaterThan(2);
    expect(Math.min(...widths)).toBeGreaterThan(210);
  });

  it("controls in a line are equally high", async () => {
    for (const [hash, scope] of [
      ["search?q=report", "main :is(select, button)"],
      ["trends?period=year", "main section:first-of-type header :is(select, button)"],
      [`timeline?date=${day}&view=table`, "main :is(select, [role=radiogroup])"],
    ] as const) {
      const page = await openPhone(hash);
      const heights = await page
        .locator(scope)
        .evaluateAll((all) =>
          all
            .filter((each) => each.checkVisibility() && !each.closest("li, [role=listitem], svg"))
            .map((each) => Math.round(each.getBoundingClientRect().height)),
        );
      expect([hash, [...new Set(heights)]]).toEqual([hash, [44]]);
    }
  });
});

describe("the bar", () => {
  it.each(["en-GB", "de-DE"])(
    "is one line from 1024 to 1440 px, whatever the date is (%s)",
    async (locale) => {
      const { page } = await open(`${server.url}/#/today`, { locale });
      for (const width of [1024, 1080, 1280, 1366, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        for (const hash of [
          "today",
          "today?date=2026-09-30",
          "trends?period=month",
          "search?q=report",
          "timeline",
        ]) {
          await page.goto(`${server.url}/#/${hash}`);
          await ready(page);
          expect([width, hash, (await page.locator("[data-bar=context]").boundingBox())?.height]).toEqual([
            width,
            hash,
            49,
          ]);
          await expectNoOverflow(page);
        }
      }
    },
  );

  it("keeps its controls in place from one day to the next", async () => {
    const { page } = await open(`${server.url}/#/today?date=2026-05-01`, {
      viewport: { width: 1440, height: 900 },
    });
    const places = async () => (await page.getByRole("radiogroup", { name: "Period" }).boundingBox())?.x;
    const before = await places();
    for (const date of ["2026-09-30", "2026-11-11"]) {
      await page.goto(`${server.url}/#/today?date=${date}`);
      await ready(page);
      expect(await places()).toBe(before);
    }
  });
});

it("a dialog does not move or widen a page with a scrollbar, nor one with only its gutter", async () => {
  // The browser of the other tests hides scrollbars.
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "",
    args: FLAGS,
    ignoreDefaultArgs: ["--hide-scrollbars"],
  });
  onTestFinished(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1280, height: 600 }, locale: "en-GB" });
  const width = () => page.locator("main").evaluate((main) => main.getBoundingClientRect().width);
  for (const hash of ["today?period=month", "today?date=2020-01-01", "settings/keyboard"]) {
    await page.goto(`${server.url}/#/${hash}`);
    await ready(page);
    const before = await width();
    expect(before).toBeLessThan(1280 - 208);
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    expect([hash, await width()]).toEqual([hash, before]);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    expect([hash, await width()]).toEqual([hash, before]);
  }
});
