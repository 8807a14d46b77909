// Views: a page with its range and filters under a name.
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { contrastViolations, violations } from "./axe.ts";
import { expectNoOverflow, open, ready, undoByMessage } from "./browser.ts";
import { Server } from "./server.ts";

const KEY = "/api/0/settings/dayline.saved_views";
let server: Server;
beforeAll(async () => {
  server = await Server.start();
});
beforeEach(() => server.post(KEY, []));
afterAll(() => server.stop());

const FILTERED = "#/today?filter=app%3Ais%3ACode&period=week";

it("a view is saved under a name, opened from the sidebar, renamed, deleted and brought back", async () => {
  const { page } = await open(`${server.url}/#/today?period=week&filter=app:is:Code`);
  await page.getByRole("button", { name: "Save this view…" }).click();
  const name = page.getByRole("textbox", { name: "Name" });
  expect(await name.inputValue()).toBe("Today, Code");
  await page.getByText("always shows the current period").waitFor();
  expect(await violations(page, "dialog[open]")).toEqual([]);
  await name.fill("My code");
  await page.keyboard.press("Enter");
  const saved = page.getByRole("list", { name: "Saved views" });
  const link = saved.getByRole("link", { name: "My code" });
  await link.waitFor();
  expect(await link.getAttribute("aria-current")).toBe("true");
  expect(await server.get(KEY)).toEqual([{ name: "My code", hash: FILTERED }]);

  await page.goto(`${server.url}/#/settings`);
  await link.click();
  await page.getByRole("button", { name: "Remove the filter app is Code" }).waitFor();
  expect(page.url()).toContain(FILTERED);
  await page.reload();
  await ready(page);
  await page.getByRole("button", { name: "Remove the filter app is Code" }).click();
  await expect.poll(() => link.getAttribute("aria-current")).toBe("false");

  await saved.getByRole("button", { name: "More actions for My code" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Rename…" }).press("Enter");
  expect(await name.inputValue()).toBe("My code");
  await name.fill("Coding");
  await page.keyboard.press("Enter");
  const renamed = saved.getByRole("link", { name: "Coding" });
  await renamed.waitFor();
  expect(await server.get(KEY)).toEqual([{ name: "Coding", hash: FILTERED }]);
  expect(await violations(page, "nav")).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await contrastViolations(page, "nav")).toEqual([]);

  await saved.getByRole("button", { name: "More actions for Coding" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await renamed.waitFor({ state: "detached" });
  await undoByMessage(page, "View “Coding” deleted");
  await renamed.waitFor();
});

it("a view needs a name, and the error is at its field", async () => {
  const { page } = await open(`${server.url}/#/trends`);
  await page.getByRole("button", { name: "Save this view…" }).click();
  const name = page.getByRole("textbox", { name: "Name" });
  await name.fill(" ");
  await page.keyboard.press("Enter");
  await expect.poll(() => name.getAttribute("aria-invalid")).toBe("true");
  expect(await server.get(KEY)).toEqual([]);
});

it("the palette opens views and saves one", async () => {
  await server.post(KEY, [{ name: "Gardening", hash: "#/trends?period=year" }]);
  const { page } = await open(`${server.url}/#/today`);
  await page.keyboard.press("Control+k");
  await page.getByRole("group", { name: "Saved views" }).getByText("Gardening").waitFor();
  await page.getByRole("dialog").getByRole("combobox").fill("garden");
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\/trends\?period=year$/);
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("combobox").fill("save this view");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Save view" }).waitFor();
});

it("on a phone a view is in the menu of pages, and its own button renames it", async () => {
  await server.post(KEY, [{ name: "Gardening", hash: "#/trends?period=year" }]);
  const { page } = await open(`${server.url}/#/today`, { viewport: { width: 390, height: 844 } });
  await page.getByRole("button", { name: "More pages" }).click();
  await page.getByRole("menuitem", { name: "Gardening" }).click();
  await page.waitForURL(/#\/trends\?period=year$/);
  await page.getByRole("button", { name: "View options" }).click();
  await page.getByRole("button", { name: "Saved as “Gardening”" }).click();
  await page.getByRole("menuitem", { name: "Rename…" }).click();
  await page.getByRole("dialog", { name: "Rename view" }).waitFor();
  await expectNoOverflow(page);
});

it("what another program wrote into the setting is no link to elsewhere", async () => {
  await server.post(KEY, [
    { name: "Good", hash: "#/trends" },
    { name: "Bad", hash: "javascript:alert(1)" },
  ]);
  const { page } = await open(`${server.url}/#/today`);
  await page.getByRole("list", { name: "Saved views" }).getByRole("link", { name: "Good" }).waitFor();
  expect(await page.getByText("Bad", { exact: true }).count()).toBe(0);
});

it("views that cannot be read are not overwritten by a new one", async () => {
  const kept = [{ name: "Gardening", hash: "#/trends?period=year" }];
  await server.post(KEY, kept);
  const { page, tolerate } = await open(`${server.url}/#/today`);
  tolerate(/503/);
  await page.route(`**${KEY}`, (route) =>
    route.request().method() === "GET"
      ? route.fulfill({ status: 503, json: { message: "the database is busy" } })
      : route.continue(),
  );
  await page.getByRole("button", { name: "Save this view…" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Another");
  await page.keyboard.press("Enter");
  await page.getByText("the database is busy").waitFor();
  expect(await server.get(KEY)).toEqual(kept);
});
