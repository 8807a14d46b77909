// The first days, before there are categories.
import { expect, it } from "vitest";
import { violations } from "./axe.ts";
import { open, ready, undoByMessage } from "./browser.ts";
import { ago, Server } from "./server.ts";

const APPS = ["Code", "Slack", "Spotify", "Gartenplan", "Thunderbird"];

it("without categories apps have colors, and starter categories are applied and undone at once", async () => {
  const server = await Server.startForTest({ data: "empty" });
  await server.addBucket("aw-watcher-window_first", {
    type: "currentwindow",
    events: Array.from({ length: 20 }, (_, place) => ({
      timestamp: ago(7200 + 300 * (20 - place)),
      duration: 290,
      data: { app: APPS[place % APPS.length], title: `window ${place}` },
    })),
  });
  const from = ago(86_400);
  const { page } = await open(`${server.url}/#/today?start=${from}&end=${ago(0)}`, { timezoneId: "UTC" });
  const apps = page.getByRole("list", { name: "Apps", exact: true });
  const colors = () =>
    apps
      .locator(".mark")
      .evaluateAll((marks) => new Set(marks.map((mark) => getComputedStyle(mark).backgroundColor)).size);
  await expect.poll(colors).toBeGreaterThan(2); // all were one gray
  expect(await apps.locator(".hatched").count()).toBe(0);
  await page.getByRole("button", { name: /^Apply starter categories: covers \d+ % of your time$/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Before").first().waitFor();
  expect(await violations(page, "dialog[open]")).toEqual([]);
  await dialog.getByRole("button", { name: "Apply" }).click();
  const list = async () =>
    (await server.get<{ categories: unknown[] }>("/api/1/categories")).categories.length;
  await expect.poll(list).toBeGreaterThan(3);
  await undoByMessage(page, "Added");
  await expect.poll(list).toBe(0);
  await ready(page);
  // Columns of days have the colors of apps too, and so has the picture of the week; all were one gray.
  await page.goto(`${server.url}/#/timeline?period=month`);
  await ready(page);
  await page.getByRole("list", { name: "Colors" }).getByText("Code", { exact: true }).waitFor();
  await page.goto(`${server.url}/#/review`);
  await ready(page);
  await page
    .locator("[data-card] svg")
    .getByText(/^Code \d/)
    .waitFor();
  // Lanes are painted again when it is known that apps have colors; they were also loaded again.
  const tiles: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === "/api/1/timeline") tiles.push(request.url());
  });
  let answer = () => {};
  const isSettled = new Promise<void>((done) => (answer = done));
  await page.route("**/api/1/summary?*", async (route) => {
    await isSettled;
    await route.continue();
  });
  await page.goto(`${server.url}/#/timeline?start=${from}&end=${ago(0)}`);
  await page.reload(); // without what the pages before have found out
  await page.locator("[data-settled=true]").waitFor();
  tiles.length = 0;
  answer();
  await ready(page);
  await page.getByRole("list", { name: "Colors" }).getByText("Code", { exact: true }).waitFor();
  expect(tiles).toEqual([]);
});
