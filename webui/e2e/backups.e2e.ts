import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { contrastViolations, violations } from "./axe.ts";
import { expectNoOverflow, open } from "./browser.ts";
import { Server } from "./server.ts";

interface Backups {
  folder: string;
  backups: { name: string; state: string; events: number }[];
}

let server: Server;
beforeEach(async () => {
  server = await Server.startForTest({ data: "empty" });
  await server.post("/api/0/buckets/window", { client: "test", type: "currentwindow", hostname: "laptop" });
  const event = { timestamp: new Date().toISOString(), duration: 1, data: { app: "Code", title: "main.py" } };
  await server.post("/api/0/buckets/window/events", Array(1234).fill(event));
});

const listed = () => server.get<Backups>("/api/1/backups");

it("a backup is made at a press, and is in the list as verified with the events of the store", async () => {
  const { page } = await open(`${server.url}/#/backups`);
  await page.getByText("No backup yet").first().waitFor();
  let letThrough: () => void = () => undefined;
  const held = new Promise<void>((done) => (letThrough = done));
  await page.route("**/api/1/backups", async (route) => {
    if (route.request().method() === "POST") await held;
    await route.continue();
  });
  await page.getByRole("button", { name: "Back up now" }).click(); // there is only one
  await page.getByRole("progressbar", { name: "Backing up" }).waitFor();
  letThrough();
  const row = page.getByRole("row", { name: /verified/ });
  await row.waitFor();
  expect(await row.innerText()).toContain("1,234");
  const { backups, folder } = await listed();
  expect(backups.map(({ state }) => state)).toEqual(["verified"]);
  await page.getByText(folder, { exact: true }).waitFor();
  await page.getByText(`dayline backup restore ${backups[0]?.name}`, { exact: true }).waitFor();
  await page.getByRole("progressbar").waitFor({ state: "detached" });
  await expectNoOverflow(page);
});

it("one that is damaged on the disk is found out when it is verified again", async () => {
  await server.post("/api/1/backups");
  await expect.poll(async () => (await listed()).backups.map(({ state }) => state)).toEqual(["verified"]);
  const { folder, backups } = await listed();
  const name = backups[0]?.name ?? "";
  const { page } = await open(`${server.url}/#/backups`);
  await page.getByRole("button", { name: `Verify ${name} again` }).click();
  await page.getByRole("status").getByText(`${name} is intact`).waitFor();
  writeFileSync(join(folder, name), "no backup at all");
  await page.getByRole("button", { name: `Verify ${name} again` }).click();
  await page.getByRole("row", { name: /damaged/ }).waitFor();
  await page.getByRole("region", { name: "Last backup" }).locator(".text-danger").first().waitFor();
  expect(await violations(page, "main")).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await contrastViolations(page, "main")).toEqual([]);
});

it("the schedule is changed in the settings, holds at once, and is undone", async () => {
  const { page } = await open(`${server.url}/#/settings/data`);
  const schedule = async () =>
    (await server.get<{ schedule: Record<string, unknown> }>("/api/1/backups")).schedule;
  const usual = await schedule();
  const section = page.locator("[data-setting=backups]");
  await section.getByLabel("How often").selectOption({ label: "Every 6 hours" });
  await expect.poll(async () => (await schedule())["interval_hours"]).toBe(6);
  await section.getByLabel("Days").fill("10");
  await section.getByLabel("Days").press("Tab");
  await expect.poll(async () => (await schedule())["keep_daily"]).toBe(10);
  await section.getByRole("switch", { name: /Back up automatically/ }).click();
  await expect.poll(async () => (await schedule())["enabled"]).toBe(false);
  expect(await violations(page, "main")).toEqual([]);
  for (const field of ["enabled", "keep_daily", "interval_hours"]) {
    await page.keyboard.press("Control+z");
    await expect.poll(async () => (await schedule())[field]).toBe(usual[field]);
  }
  await section.getByRole("link", { name: "List and restore backups" }).click();
  await page.getByText("Stop the server before you replace its database").waitFor();
});
