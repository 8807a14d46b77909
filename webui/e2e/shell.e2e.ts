import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./axe.ts";
import { expectNoOverflow, open, openBrowser, ready } from "./browser.ts";
import { Server } from "./server.ts";

let server: Server;
beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server.stop());

describe("the frame", () => {
  it("forbids everything that does not come from the server", async () => {
    const policy = (await fetch(`${server.url}/`)).headers.get("Content-Security-Policy");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("worker-src 'self';");
    expect(policy).not.toContain("unsafe-eval");
    const { page, close } = await open(`${server.url}/`);
    expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(
      0,
    );
    await close();
  });

  it("opens the palette with Ctrl K, which finds pages, days and categories, and gives the focus back", async () => {
    const { page, close } = await open(`${server.url}/#/today`);
    await page.getByRole("link", { name: "Trends" }).focus();
    await page.keyboard.press("Control+k");
    const field = page.getByRole("dialog").getByRole("combobox");
    await field.waitFor();
    expect(await violations(page)).toEqual([]);
    await field.fill("yesterday");
    await page.keyboard.press("Enter");
    await page.waitForURL(/date=\d{4}-\d{2}-\d{2}/);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await field.fill("sett");
    await page.keyboard.press("Enter");
    await page.locator("main[data-page=settings]").waitFor();
    await page.keyboard.press("Control+k");
    await field.waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await close();
  });

  it("shows all keys, and goes to pages, periods and days by them", async () => {
    const { page, close } = await open(`${server.url}/#/today`);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("w");
    await page.waitForURL(/period=week/);
    await page.keyboard.press("[");
    await page.waitForURL(/date=/);
    await page.keyboard.press("n");
    await expect.poll(() => page.url()).not.toContain("date=");
    for (const [key, name] of [
      ["l", "timeline"],
      ["b", "buckets"],
      ["t", "today"],
    ] as const) {
      await page.keyboard.press("g");
      await page.keyboard.press(key);
      await page.locator(`main[data-page=${name}]`).waitFor();
    }
    await close();
  });

  it("restores what was shown on reload, and with back and forward", async () => {
    const address = `${server.url}/#/today?period=week&device=laptop&filter=category%3Aunder%3AWork&compare=previous`;
    const { page, close } = await open(address);
    const shown = async () => ({
      period: await page.getByRole("radio", { name: "Week" }).isChecked(),
      filter: await page.getByRole("group", { name: "Filters" }).innerText(),
      compare: await page.getByLabel("Compare with").inputValue(),
    });
    const before = await shown();
    expect(before).toMatchObject({ period: true, compare: "previous" });
    expect(before.filter).toContain("category is or is under Work");
    await page.reload();
    await ready(page);
    expect(await shown()).toEqual(before);
    await page.getByRole("button", { name: "Remove all" }).click();
    await expect.poll(() => page.url()).not.toContain("filter");
    await page.goBack();
    await ready(page);
    expect(await shown()).toEqual(before);
    await page.goForward();
    await expect.poll(() => page.url()).not.toContain("filter");
    await close();
  });

  it.each([
    ["#/activity/laptop/week/2026-03-02/view/summary", /#\/today\?period=week&date=2026-03-02&device=laptop/],
    ["#/rawdata", /#\/buckets$/],
    ["#/settings/category-builder", /#\/categories$/],
  ])("leads from the existing web UI's address %s to the same of ours", async (hash, ours) => {
    const { page, close } = await open(`${server.url}/${hash}`);
    expect(page.url()).toMatch(ours);
    await close();
  });

  it("says that an unknown address leads nowhere", async () => {
    const { page, close } = await open(`${server.url}/#/nowhere`);
    await page.getByText("There is no page named “nowhere”").waitFor();
    await close();
  });

  it("can be read with text twice as large, in forced colours and without motion", async () => {
    const { page, close } = await open(`${server.url}/#/today`, {
      viewport: { width: 640, height: 900 },
      reducedMotion: "reduce",
      forcedColors: "active",
    });
    await page.evaluate(() => (document.documentElement.style.fontSize = "175%"));
    await expectNoOverflow(page);
    const running = await page.evaluate(
      () => document.getAnimations().filter((each) => each.playState === "running").length,
    );
    expect(running).toBe(0);
    await close();
  });

  it("hides titles with Shift B and shows them again", async () => {
    const { page, close } = await open(`${server.url}/#/today`);
    await page.keyboard.press("Shift+B");
    await page.locator("html[data-titles=hidden]").waitFor();
    await page.keyboard.press("Shift+B");
    await page.locator("html:not([data-titles])").waitFor();
    await close();
  });
});

describe("live", () => {
  it("says within seconds that the server is gone, and goes on by itself when it is back", async () => {
    const own = await Server.start();
    const watched = await open(`${own.url}/#/today`);
    await watched.page.getByText("Live", { exact: true }).waitFor();
    await own.kill();
    await watched.page.getByText("Not connected.", { exact: false }).first().waitFor({ timeout: 3500 });
    await own.run();
    await watched.page.getByText("Live", { exact: true }).waitFor({ timeout: 15_000 });
    await expect.poll(() => watched.page.getByRole("alert").count(), { timeout: 10_000 }).toBe(0);
    watched.forgive();
    await watched.close();
    await own.stop();
  });

  it("needs one stream for ten tabs, and all of them are live", async () => {
    // A second listener would be refused.
    const own = await Server.start({ data: "empty", settings: "[stream]\nlisteners = 1\n" });
    const context = await (await openBrowser()).newContext();
    const pages = await Promise.all(Array.from({ length: 10 }, () => context.newPage()));
    for (const page of pages) await page.goto(`${own.url}/#/search`);
    for (const page of pages) await page.getByText("Live", { exact: true }).waitFor();
    await context.close();
    await own.stop();
  });
});
