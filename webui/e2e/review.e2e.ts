import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { violations } from "./axe.ts";
import { open, ready } from "./browser.ts";
import { demoServer, type Server } from "./server.ts";

interface Summary {
  range: { label: string; start: string; end: string };
  totals: { active: number };
}

describe("The review of a week", () => {
  let server: Server;
  let page: Page;
  const lastWeek = new Date(Date.now() - 7 * 86_400_000).toISOString().slice(0, 10);

  beforeAll(async () => {
    server = await demoServer();
  });
  beforeEach(async () => {
    ({ page } = await open(`${server.url}/#/review?period=week&date=${lastWeek}`, {
      timezoneId: "UTC",
      locale: "en-GB",
    }));
    await ready(page);
  });

  it("shows the same active time as the API", async () => {
    const { range, totals } = await server.get<Summary>(
      `/api/1/summary?tz=UTC&period=week&date=${lastWeek}&by=category`,
    );
    const [first, last] = [new Date(range.start), new Date(Date.parse(range.end) - 86_400_000)];
    const name = new RegExp(`^${first.getUTCDate()} .*– ${last.getUTCDate()} `);
    await page.getByRole("heading", { name }).waitFor();
    const shown = await page.getByRole("region", { name }).locator("time").getAttribute("datetime");
    expect(Number(shown?.replace(/[PTS]/g, ""))).toBe(Math.round(totals.active));
  });

  it("lists top categories or all, as on other pages", async () => {
    const panel = page.getByRole("region", { name: "Where the time went" });
    const names = () => panel.getByRole("rowheader").allInnerTexts();
    const top = await names();
    expect(top.filter((name) => name.includes("›"))).toEqual([]);
    await panel.getByRole("radio", { name: "All" }).check({ force: true });
    await expect.poll(async () => (await names()).some((name) => name.includes("›"))).toBe(true);
    await page.goto(`${server.url}/#/today?date=${lastWeek}`);
    await ready(page);
    expect(await page.getByRole("radio", { name: "All" }).first().isChecked()).toBe(true);
  });

  it("is exported as one page that loads nothing", async () => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export as HTML" }).click(),
    ]);
    const html = readFileSync(await download.path(), "utf8");
    expect(html).toContain("Where the time went");
    expect(html).toContain("<svg");
    expect(html).not.toMatch(/(src|href)=/);
  });

  it("has a ribbon for each day in one picture, which is copied as an image without titles unless they are chosen", async () => {
    const picture = page.locator("[data-card] svg");
    const days = await server.get<{ total: number[] }>(
      `/api/1/series?tz=UTC&period=week&date=${lastWeek}&bin=day&by=category`,
    );
    const texts = await picture.locator("text").allTextContents();
    const hours = (seconds: number) =>
      `${Math.floor(Math.round(seconds / 60) / 60)}h ${String(Math.round(seconds / 60) % 60).padStart(2, "0")}m`;
    for (const seconds of days.total.filter((each) => each >= 3600)) expect(texts).toContain(hours(seconds));
    expect(await violations(page, "main")).toEqual([]);
    const before = texts.join();
    await page.getByRole("switch", { name: "Show titles in the image" }).click();
    await expect.poll(async () => (await picture.locator("text").allTextContents()).join()).not.toBe(before);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy image" }).click();
    await page.getByText("Copied the image").waitFor();
    const kinds = await page.evaluate(async () =>
      (await navigator.clipboard.read()).flatMap(({ types }) => types),
    );
    expect(kinds).toContain("image/png");
  });

  it("without data leads to the last week that has some", async () => {
    await page.goto(`${server.url}/#/review?period=week&date=2030-05-06`);
    await ready(page);
    await page.getByRole("link", { name: "Show the last week with data" }).click();
    await page.locator("[data-card] svg").waitFor();
    expect(page.url()).not.toContain("2030");
  });

  it("has its week in the bar, whatever the page before showed", async () => {
    await page.goto(`${server.url}/#/trends?period=year`);
    await ready(page);
    await page.getByRole("link", { name: "Review" }).click();
    await page.locator("main[data-page=review][data-ready=true]").waitFor();
    const { range } = await server.get<Summary>("/api/1/summary?tz=UTC&period=week&by=category");
    const first = new Date(range.start).getUTCDate();
    const last = new Date(Date.parse(range.end) - 86_400_000).getUTCDate();
    await page.getByRole("button", { name: new RegExp(`\\b${first}\\b.*–.*\\b${last}\\b`) }).waitFor();
  });

  it("is a week, whatever period the address has", async () => {
    await page.goto(`${server.url}/#/review?period=year`);
    await page.waitForURL(/period=week/);
  });
});
