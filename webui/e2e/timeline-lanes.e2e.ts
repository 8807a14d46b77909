// What the lanes show while one moves over them, and what is written on and beside them.
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { open, ready } from "./browser.ts";
import { demoServer, type Server } from "./server.ts";

let server: Server;
/** A day of the demo data on which the laptop was used, and which is over. */
let day: string;
beforeAll(async () => {
  server = await demoServer();
  const { buckets } = await server.get<{ buckets: { id: string; last: string }[] }>("/api/1/buckets");
  const last = buckets.find(({ id }) => id === "aw-watcher-window_laptop")?.last ?? "";
  const from = new Date(Date.parse(last) - 7 * 86_400_000).toISOString().slice(0, 10);
  const series = await server.get<{ edges: string[]; total: number[] }>(
    `/api/1/series?start=${from}T00:00:00Z&end=${last.slice(0, 10)}T00:00:00Z&bin=day&by=category&device=laptop&tz=UTC`,
  );
  const busiest = series.total.indexOf(Math.max(...series.total));
  day = series.edges[busiest]?.slice(0, 10) ?? "";
});

const lanes = (page: Page) => page.getByRole("group", { name: "Lanes", exact: true });
const settled = (page: Page) => page.locator("[data-settled=true]").waitFor();
const from = (start: string, end: string) =>
  `${server.url}/#/timeline?start=${day}T${start}:00Z&end=${day}T${end}:00Z`;

/** Starts to record the fewest spans that were drawn at any time; the function returns that number. */
async function watchSpans(page: Page): Promise<() => Promise<number>> {
  await lanes(page).evaluate((element) => {
    const record = element as HTMLElement & { fewest?: number };
    record.fewest = Number(element.getAttribute("data-spans"));
    new MutationObserver(() => {
      record.fewest = Math.min(record.fewest ?? 0, Number(element.getAttribute("data-spans")));
    }).observe(element, { attributeFilter: ["data-spans"] });
  });
  return () => lanes(page).evaluate((element) => (element as HTMLElement & { fewest: number }).fewest);
}

/** The requests to the API that the page makes from now on; Chromium requests the icon with every new address. */
function watchRequests(page: Page): string[] {
  const requests: string[] = [];
  page.on("request", (request) => {
    if (/\/api\/[01]\//.test(request.url())) requests.push(request.url());
  });
  return requests;
}

describe("moving over the lanes", () => {
  it("makes no request and never clears a span while the tiles are loaded", async () => {
    const { page } = await open(from("08:00", "18:00"), { timezoneId: "UTC" });
    await page.locator("[data-settled=true][data-loading=false]").waitFor();
    const spans = Number(await lanes(page).getAttribute("data-spans"));
    expect(spans).toBeGreaterThan(50);
    const [requests, fewest] = [watchRequests(page), await watchSpans(page)];
    await lanes(page).focus();
    for (const key of ["d", "a", "a", "d"]) {
      const address = page.url();
      await page.keyboard.press(key);
      // The address follows when the lanes have come to rest.
      await expect.poll(() => page.url()).not.toBe(address);
    }
    await settled(page);
    await expect.poll(async () => Number(await lanes(page).getAttribute("data-spans"))).toBe(spans);
    expect(requests).toEqual([]);
    expect(await fewest()).toBeGreaterThan(spans / 3);
  });

  it("keeps the coarser spans on the screen until the finer ones have arrived", async () => {
    const { page } = await open(from("08:00", "18:00"), { timezoneId: "UTC" });
    await settled(page);
    const level = await lanes(page).getAttribute("data-level");
    let release = () => {};
    const released = new Promise<void>((done) => (release = done));
    await page.route("**/api/1/timeline?*", async (route) => {
      await released;
      await route.continue();
    });
    const fewest = await watchSpans(page);
    await lanes(page).focus();
    await page.keyboard.press("w");
    await page.keyboard.press("w");
    await expect.poll(() => page.url()).not.toContain("T08:00:00");
    expect(await lanes(page).getAttribute("data-settled")).toBe("false");
    expect(await lanes(page).getAttribute("data-level")).not.toBe(level);
    release();
    await settled(page);
    expect(await fewest()).toBeGreaterThan(0);
  });
});

describe("the legend", () => {
  const names = (page: Page) =>
    page.getByRole("list", { name: "Colours" }).getByRole("listitem").allTextContents();

  it("says the same after a change of the colours as on a page that is opened with them", async () => {
    const { page } = await open(from("08:00", "18:00"), { timezoneId: "UTC" });
    await expect.poll(() => names(page)).not.toEqual([]);
    const first = await names(page);
    expect(new Set(first).size).toBe(first.length);
    const colour = page.getByLabel("Colour", { exact: true });
    await colour.selectOption("title");
    await settled(page);
    await expect.poll(() => names(page)).not.toEqual(first);
    await colour.selectOption("category");
    await ready(page);
    await settled(page);
    await expect.poll(() => names(page)).toEqual(first);
    const pictures = page.getByRole("list", { name: "Colours" }).locator(".mark");
    const colours = () =>
      pictures.evaluateAll((all) =>
        all.map((one) => `${getComputedStyle(one).backgroundColor} ${one.className}`),
      );
    const shown = await colours();
    await page.reload();
    await ready(page);
    await expect.poll(() => names(page)).toEqual(first);
    expect(await colours()).toEqual(shown);
  });
});
