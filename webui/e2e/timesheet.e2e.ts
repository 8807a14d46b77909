// A timesheet as a page: nothing runs, nothing is cut off, and it prints on both papers.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, expect, inject, it } from "vitest";
import { openWatched } from "./browser.ts";
import { demoServer, type Server, uniqueName } from "./server.ts";

const TITLES = [
  "<script>document.title = 'hacked'</script>",
  `<img src=x onerror="document.title='hacked'">`,
  "a-very-long-name-without-any-blank".repeat(6),
  "Design",
];
/** What the margins leave of the paper, in pixels. */
const WIDTHS = { A4: 688, Letter: 710 };

let server: Server;
let device: string;
beforeAll(async () => {
  server = await demoServer();
});

/** A month of days on which everything was done. */
beforeEach(async () => {
  const apps = [...TITLES, ...Array.from({ length: 7 }, (_, number) => `Tool ${number}`)];
  const events = Array.from({ length: 31 }, (_, day) =>
    apps.map((app, number) => ({
      timestamp: new Date(Date.UTC(2025, 2, day + 1, 8 + number)).toISOString(),
      duration: 2400,
      data: { app, title: app },
    })),
  ).flat();
  device = await server.addBucket("sheet", { type: "currentwindow", events });
});

function address(apps: readonly string[] = []): string {
  const asked = new URLSearchParams({
    period: "month",
    date: "2025-03-05",
    device,
    by: "app",
    format: "html",
    round: "nearest",
    rate: "80",
    currency: "EUR",
    title: TITLES[0] ?? "",
  });
  for (const app of apps) asked.append("filter", `app:is:${app}`);
  return `${server.url}/api/1/reports/timesheet?${asked}`;
}

/** The texts that are wider than their place. */
const cutOff = (page: Page) =>
  page
    .locator("h1, p, th, td")
    .evaluateAll((all) =>
      all
        .filter(
          (each) =>
            each.scrollWidth > each.clientWidth + 1 || getComputedStyle(each).textOverflow === "ellipsis",
        )
        .map((each) => each.textContent),
    );

it.each([
  { paper: "A4", layout: "side by side", apps: TITLES, pages: 1 },
  { paper: "A4", layout: "below each other", apps: [], pages: 5 },
  { paper: "Letter", layout: "side by side", apps: TITLES, pages: 1 },
  { paper: "Letter", layout: "below each other", apps: [], pages: 5 },
] as const)(
  "shows all of its text on screen and on $paper, with columns $layout",
  async ({ paper, apps, pages }) => {
    const { page } = await openWatched(address(apps), { viewport: { width: WIDTHS[paper], height: 800 } });
    const shown = await page.locator("body").innerText();
    for (const title of TITLES) expect(shown).toContain(title);
    expect(await cutOff(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await page.emulateMedia({ media: "print" });
    expect(await cutOff(page)).toEqual([]);
    const table = page.locator("table");
    expect(await table.evaluate((each) => each.scrollWidth <= innerWidth)).toBe(true);
    expect(await table.locator("thead").evaluate((each) => getComputedStyle(each).display)).toBe(
      "table-header-group",
    );
    const path = join(inject("folder"), uniqueName("sheet"));
    await page.pdf({ path, format: paper });
    expect(readFileSync(path, "latin1").split("/Type /Page\n").length - 1).toBeGreaterThanOrEqual(pages);
  },
);

it("neither runs nor loads anything", async () => {
  const { page } = await openWatched(`${server.url}/api/static/theme.js`);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(address());
  expect(await page.title()).toBe(TITLES[0]);
  expect(await page.locator("script, img, link, iframe").count()).toBe(0);
  expect(asked).toEqual([page.url()]);
});
