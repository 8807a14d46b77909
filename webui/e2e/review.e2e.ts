import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
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
    await page.getByRole("heading", { name: range.label }).waitFor();
    const shown = await page
      .getByRole("region", { name: range.label })
      .locator("time")
      .getAttribute("datetime");
    expect(Number(shown?.replace(/[PTS]/g, ""))).toBe(Math.round(totals.active));
  });

  it("is exported as one page that loads nothing", async () => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export as HTML" }).click(),
    ]);
    const html = readFileSync(await download.path(), "utf8");
    expect(html).toContain("Where the time went");
    expect(html).not.toMatch(/(src|href)=/);
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
