import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { violations } from "./axe.ts";
import { expectNoOverflow, open, ready, undoByMessage, type Watched } from "./browser.ts";
import { countClicks } from "./clicks.ts";
import { ago, demoServer, type Server, uniqueName } from "./server.ts";

interface Project {
  name: string;
  rate: number | null;
  is_billable: boolean;
  categories: string[][];
}
interface Summary {
  totals: { active: number };
  lists: Record<string, { key: string; seconds: number }[]>;
  compare?: { totals: { active: number } };
}

describe("Projects", () => {
  let server: Server;
  let page: Page;
  let watched: Watched;
  /** Records some work today, at whatever hour and on whatever day of the week the test runs. */
  const workNow = () =>
    server.addBucket("aw-watcher-window_project", {
      type: "currentwindow",
      events: [{ timestamp: ago(30), duration: 30, data: { app: "Code", title: "main.py" } }],
    });
  const projects = async () => (await server.get<{ projects: Project[] }>("/api/1/projects")).projects;

  beforeAll(async () => {
    server = await demoServer();
  });
  beforeEach(async () => {
    watched = await open(`${server.url}/#/today`, { timezoneId: "Europe/Berlin", locale: "en-GB" });
    ({ page } = watched);
  });
  afterEach(() => server.call("PUT", "/api/1/projects", { projects: [] }));

  it("are made with a preview, changed, deleted and brought back", async () => {
    const name = uniqueName("ACME");
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill("new project");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "New project" });
    await dialog.getByLabel("Name").fill(name);
    await dialog.getByLabel("Add category…").selectOption("Work");
    await dialog.getByLabel("Hourly rate").fill("82.5");
    await dialog.getByRole("button", { name: "Add condition" }).click();
    await dialog.getByLabel("Value").fill("ACME");
    await dialog.getByText("Time in the last 30 days:").waitFor();
    expect(await violations(page, "dialog[open]")).toEqual([]);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText(`Saved project “${name}”`).waitFor();
    expect(await projects()).toMatchObject([{ name, rate: 82.5, is_billable: true, categories: [["Work"]] }]);
    const row = page.getByRole("list", { name: "Projects" }).getByRole("listitem");
    expect(await row.innerText()).toContain("Work, title has ACME");
    expect(await row.innerText()).toContain("82.50 per hour");

    await page.getByRole("button", { name: `Edit ${name}` }).click();
    await page.getByRole("switch", { name: "Billable" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await expect.poll(async () => (await projects())[0]?.is_billable).toBe(false);
    await page.getByRole("button", { name: `Delete ${name}` }).click();
    await expect.poll(projects).toEqual([]);
    await undoByMessage(page, `Deleted project “${name}”`);
    await expect.poll(async () => (await projects()).map((each) => each.name)).toEqual([name]);
    await page.setViewportSize({ width: 320, height: 640 });
    await expectNoOverflow(page);
    expect(await violations(page, "main")).toEqual([]);
  });

  it("are ordered, because the first one that matches counts, and refused with a reason", async () => {
    const rule = (app: string) => [{ field: "app", op: "is", value: app }];
    await server.call("PUT", "/api/1/projects", {
      projects: [
        { name: "One", conditions: rule("a") },
        { name: "Two", conditions: rule("b") },
      ],
    });
    await page.goto(`${server.url}/#/settings/projects`);
    await page.getByRole("button", { name: "Move Two up" }).click();
    await expect.poll(async () => (await projects()).map(({ name }) => name)).toEqual(["Two", "One"]);
    await page.getByRole("button", { name: "New project" }).click();
    watched.tolerate(/422/);
    await page.getByLabel("Name").fill("one");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByText("is a duplicate of").waitFor();
    expect(await projects()).toHaveLength(2);
  });

  it("tell in two clicks from Today how much time one took this month, and how much more than last", async () => {
    await server.call("PUT", "/api/1/projects", {
      projects: [{ name: "Client", categories: [["Work"]], color: "rose" }],
    });
    await workNow();
    await page.reload();
    await ready(page);
    await page.getByRole("button", { name: "More actions for Client" }).focus(); // shows it
    await page.getByRole("button", { name: "More actions for Client" }).click();
    await page.getByRole("menuitem", { name: "Compare this month with last" }).click();
    await expect.poll(() => page.url()).toContain("period=month");
    await ready(page);
    const query = "tz=Europe/Berlin&period=month&filter=project:is:Client&compare=previous";
    const told = await server.get<Summary>(`/api/1/summary?${query}`);
    const active = page.locator("[data-figure=active]");
    await expect
      .poll(() => active.locator("time").getAttribute("datetime"))
      .toBe(`PT${Math.round(told.totals.active)}S`);
    await page
      .getByRole("main")
      .locator("dl")
      .getByText(/vs [\dA-Z]/)
      .first()
      .waitFor();
  });

  it("have a timesheet as CSV in four clicks from Today", async () => {
    await server.call("PUT", "/api/1/projects", {
      projects: [{ name: "Client", categories: [["Work"]], rate: 100, color: "rose" }],
    });
    await workNow();
    await page.reload();
    await ready(page);
    const clicks = await countClicks(page);
    await page.getByRole("button", { name: "More actions for Client" }).focus(); // shows it
    await page.getByRole("button", { name: "More actions for Client" }).click();
    await page.getByRole("menuitem", { name: "Show only this" }).click();
    await page.getByRole("link", { name: "Reports" }).click();
    const downloading = page.waitForEvent("download");
    await page.getByRole("link", { name: "CSV", exact: true }).click();
    const csv = readFileSync(await (await downloading).path(), "utf-8");
    expect(await clicks()).toBe(4);
    const query = "tz=Europe/Berlin&period=month&filter=project:is:Client&format=csv";
    const told = await fetch(`${server.url}/api/1/reports/timesheet?${query}`);
    expect(csv.split("\r\n")[0]).toContain("Work");
    expect(csv.split("\r\n").length).toBe((await told.text()).split("\r\n").length);
  });

  it("group Trends and Reports", async () => {
    await server.call("PUT", "/api/1/projects", {
      projects: [{ name: "Client", categories: [["Work"]], rate: 100, color: "rose" }],
    });
    await page.goto(`${server.url}/#/trends?period=month`);
    await ready(page);
    await page.getByLabel("Group by").selectOption("project");
    await expect.poll(() => page.url()).toContain("by=project");
    await page.getByRole("button", { name: "Client" }).first().waitFor();
    await page.goto(`${server.url}/#/reports?period=month&by=project`);
    await ready(page);
    const head = page.getByRole("article", { name: "Preview" }).locator("thead");
    await expect.poll(() => head.innerText()).toContain("Amount");
  });
});
