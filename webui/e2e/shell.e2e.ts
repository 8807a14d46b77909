import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { violations } from "./axe.ts";
import { expectNoOverflow, open, openBrowser, ready } from "./browser.ts";
import { demoServer, Server } from "./server.ts";

let server: Server;
beforeAll(async () => {
  server = await demoServer();
});

describe("the frame", () => {
  it("forbids everything that does not come from the server", async () => {
    const policy = (await fetch(`${server.url}/`)).headers.get("Content-Security-Policy");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("worker-src 'self';");
    expect(policy).not.toContain("unsafe-eval");
    const { page } = await open(`${server.url}/`);
    expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(
      0,
    );
  });

  it("is shown before the code of its page has arrived, which then requests only what it shows", async () => {
    const { page } = await open(`${server.url}/#/settings`);
    let deliver = () => {};
    const isWanted = new Promise<void>((done) => (deliver = done));
    await page.route("**/app/TimelinePage-*.js", async (route) => {
      await isWanted;
      await route.continue();
    });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(`${server.url}/#/timeline?view=week`);
    await page.reload();
    await page.getByRole("link", { name: "Trends" }).waitFor();
    deliver();
    await ready(page);
    expect(asked.filter((path) => path === "/api/1/timeline/sessions")).toHaveLength(1);
    expect(asked).not.toContain("/api/1/series");
  });

  it("opens the palette with Ctrl K, which finds pages, days and categories, and gives the focus back", async () => {
    const { page } = await open(`${server.url}/#/today`);
    await page.getByRole("link", { name: "Trends" }).focus();
    await page.keyboard.press("Control+k");
    const field = page.getByRole("dialog").getByRole("combobox");
    await field.waitFor();
    expect(await violations(page, "dialog[open]")).toEqual([]);
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
  });

  it("the palette gets what is typed while its code is loading, and the page's shortcuts do not", async () => {
    const { page } = await open(`${server.url}/#/today`);
    let deliver = () => {};
    const isWanted = new Promise<void>((done) => (deliver = done));
    await page.route("**/app/Palette-*.js", async (route) => {
      await isWanted;
      await route.continue();
    });
    await page.keyboard.press("Control+k");
    await page.keyboard.type("weekly");
    deliver();
    const field = page.getByRole("dialog").getByRole("combobox");
    await field.waitFor();
    expect(await field.inputValue()).toBe("weekly");
    expect(page.url()).not.toContain("period=week");
  });

  it("has a visible button for the palette, which opens the timeline at a time and runs commands of features", async () => {
    const { page } = await open(`${server.url}/#/today`);
    await page.getByRole("button", { name: /Search or jump/ }).click();
    const field = page.getByRole("dialog").getByRole("combobox");
    await field.fill("last tuesday 3pm");
    await page.getByRole("option", { name: /^Open the timeline at .*15:00/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.locator("main[data-page=timeline]").waitFor();
    const range = new URLSearchParams(page.url().split("?")[1]);
    expect(Date.parse(range.get("end") ?? "") - Date.parse(range.get("start") ?? "")).toBe(2 * 3_600_000);
    await page.keyboard.press("Control+k");
    await field.fill("2 weeks ago");
    await page.keyboard.press("Enter");
    await page.waitForURL(/#\/timeline\?date=\d{4}-\d{2}-\d{2}$/);
    for (const [typed, title] of [
      ["new goal", "New goal"],
      ["new key", "New key"],
      ["annotate", "Annotate"],
    ] as const) {
      await page.keyboard.press("Control+k");
      await field.fill(typed);
      await page.keyboard.press("Enter");
      await page.getByRole("dialog", { name: title, exact: true }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
  });

  it("has a visible button to add a filter, with completion of what occurs", async () => {
    const { page } = await open(`${server.url}/#/today?period=month`);
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Add filter" });
    const option = dialog.locator("datalist option").first();
    await option.waitFor({ state: "attached" });
    const app = (await option.getAttribute("value")) ?? "";
    await dialog.getByLabel("Value").fill(app);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: `Remove the filter app is ${app}` }).waitFor();
  });

  it("shows all keys, and goes to pages, periods and days by them", async () => {
    const { page } = await open(`${server.url}/#/today`);
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await help.waitFor();
    // Merged spans are listed by Enter, and not zoomed.
    await help.getByText("Open the event, or list the events of a merged span or session").waitFor();
    expect(await violations(page, "dialog[open]")).toEqual([]);
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
  });

  it("restores what was shown on reload, and with back and forward", async () => {
    const address = `${server.url}/#/today?period=week&device=laptop&filter=category%3Aunder%3AWork&compare=previous`;
    const { page } = await open(address);
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
    await page.getByRole("button", { name: "Clear filters" }).click();
    await expect.poll(() => page.url()).not.toContain("filter");
    await page.goBack();
    await ready(page);
    expect(await shown()).toEqual(before);
    await page.goForward();
    await expect.poll(() => page.url()).not.toContain("filter");
  });

  it.each([
    ["#/activity/laptop/week/2026-03-02/view/summary", /#\/today\?period=week&date=2026-03-02&device=laptop/],
    ["#/rawdata", /#\/buckets$/],
    ["#/settings/category-builder", /#\/categories$/],
  ])("leads from the existing web UI's address %s to the same of ours", async (hash, ours) => {
    const { page } = await open(`${server.url}/${hash}`);
    expect(page.url()).toMatch(ours);
  });

  it("says that an unknown address leads nowhere", async () => {
    const { page } = await open(`${server.url}/#/nowhere`);
    await page.getByText("There is no page called “nowhere”").waitFor();
  });

  it.each(["today", "categories", "buckets", "trends", "reports", "settings"])(
    "%s is usable with text twice as large",
    async (name) => {
      const { page } = await open(`${server.url}/#/${name}`, { viewport: { width: 1280, height: 900 } });
      await page.evaluate(() => (document.documentElement.style.fontSize = "175%"));
      await expectNoOverflow(page);
      // No table column is squeezed to a few letters.
      const narrow = await page
        .locator("main tbody th[scope=row]:visible")
        .evaluateAll((cells) => cells.filter((cell) => cell.getBoundingClientRect().width < 80).length);
      expect(narrow).toBe(0);
    },
  );

  it("shows a dialog without moving the page or leaving a strip beside the backdrop", async () => {
    const { page } = await open(`${server.url}/#/today?period=month`, {
      viewport: { width: 1280, height: 600 },
    });
    const left = () =>
      page.getByRole("heading", { name: "Categories" }).evaluate((e) => e.getBoundingClientRect().x);
    const before = await left();
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    expect(await left()).toBe(before);
    expect(await page.evaluate(() => document.documentElement.clientWidth - innerWidth)).toBe(0);
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).scrollbarGutter)).toBe(
      "auto",
    );
  });

  it("can be read with text twice as large, in forced colors and without motion", async () => {
    const { page } = await open(`${server.url}/#/today`, {
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
  });

  it("hides titles with Shift B and shows them again", async () => {
    const { page } = await open(`${server.url}/#/today`);
    await page.keyboard.press("Shift+B");
    await page.locator("html[data-titles=hidden]").waitFor();
    await page.keyboard.press("Shift+B");
    await page.locator("html:not([data-titles])").waitFor();
  });
});

describe("live", () => {
  it("says that the server is gone, and goes on by itself when it is back", async () => {
    const own = await Server.startForTest({ data: "empty" });
    const { page, tolerate } = await open(`${own.url}/#/search`);
    tolerate(/./); // whatever is asked for meanwhile fails
    await page.getByText("Live", { exact: true }).waitFor();
    await own.kill();
    await page.getByText("Not connected.", { exact: false }).first().waitFor();
    await own.run();
    await page.getByText("Live", { exact: true }).waitFor();
    await expect.poll(() => page.getByRole("alert").count()).toBe(0);
  });

  it("says so while a page cannot be opened without the server, and opens it when the server is back", async () => {
    const own = await Server.startForTest({ data: "empty" });
    const { page, tolerate } = await open(`${own.url}/#/settings`);
    tolerate(/./); // whatever is asked for meanwhile fails
    await own.kill();
    await page.getByRole("link", { name: "Backups" }).click();
    await page.getByText("This page opens when it is back").waitFor();
    expect(await page.getByText("preload", { exact: false }).count()).toBe(0);
    await own.run();
    await page.getByRole("heading", { name: "Backups", level: 1 }).waitFor();
    expect(page.url()).toContain("#/backups");
  });

  it("needs one stream for ten tabs, and all of them are live", async () => {
    // A second listener would be refused.
    const own = await Server.startForTest({ data: "empty", settings: "[stream]\nmax_listeners = 1\n" });
    const context = await (await openBrowser()).newContext();
    onTestFinished(() => context.close());
    const pages = await Promise.all(Array.from({ length: 10 }, () => context.newPage()));
    for (const page of pages) await page.goto(`${own.url}/#/search`);
    for (const page of pages) await page.getByText("Live", { exact: true }).waitFor();
  });
});
