// Common tasks from Today: how many clicks each takes, and the same by keyboard alone.
import { readFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { open, ready, undoByMessage } from "./browser.ts";
import { countClicks } from "./clicks.ts";
import { Server } from "./server.ts";

const DAY_MS = 86_400_000;
const isoDay = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
const YESTERDAY = isoDay(1);
/** The Tuesday before today. */
const TUESDAY = isoDay((new Date().getUTCDay() + 5) % 7 || 7);
/** A client's month, which is no calendar month. */
const [FIRST, LAST] = ["2025-10-15", "2025-11-14"];

let server: Server;
let page: Page;
let device: string;

beforeAll(async () => {
  server = await Server.start({ data: "empty" });
  await server.call("PATCH", "/api/1/settings", { time_zone: "UTC", day_start: "00:00" });
  return () => server.stop();
});

beforeEach(async () => {
  await server.call("PUT", "/api/1/categories", { categories: [{ name: ["Work"] }, { name: ["Fun"] }] });
  await server.call("PUT", "/api/1/projects", {
    projects: [{ name: "Client", conditions: [{ field: "app", op: "is", value: "Gazette" }] }],
  });
  const hour = (day: string, time: string, app: string) => ({
    timestamp: `${day}T${time}:00Z`,
    duration: 3600,
    data: { app, title: `${app} of ${day}` },
  });
  device = await server.addBucket("desk", {
    type: "currentwindow",
    events: [
      hour(YESTERDAY, "08:00", "Gazette"),
      hour(YESTERDAY, "09:00", "Signal"),
      hour(YESTERDAY, "12:00", "Almanac"),
      hour(TUESDAY, "15:00", "Herald"),
      ...[FIRST, "2025-11-01", LAST, "2025-11-15"].map((day) => hour(day, "10:00", "Gazette")),
    ],
  });
  await server.addBucket("phone", { type: "currentwindow", events: [hour(YESTERDAY, "18:00", "Chat")] });
});

async function openToday(query: string): Promise<void> {
  ({ page } = await open(`${server.url}/#/today?${query}`, { timezoneId: "UTC", locale: "en-GB" }));
}

const timeOf = (name: string) => Date.parse(new URLSearchParams(page.url().split("?")[1]).get(name) ?? "");
const rowOf = (list: string, name: string) =>
  page.getByRole("list", { name: list }).getByRole("listitem").filter({ hasText: name });
const menuOf = (list: string, name: string) =>
  rowOf(list, name).getByRole("button", { name: `More actions for ${name}` });
const events = () => server.get<{ id: number }[]>(`/api/0/buckets/${device}/events?limit=-1`);

/** Where an hour of the day is on its strip, which has the whole day. */
async function placeOf(hour: number): Promise<{ x: number; y: number }> {
  const strip = page.getByRole("listbox");
  const box = await strip.boundingBox();
  if (!box) throw new Error("there is no strip");
  const hours = Number(await strip.getAttribute("data-hours"));
  return { x: box.x + (box.width * hour) / hours, y: box.y + 8 };
}

describe("in clicks from Today", () => {
  it("last Tuesday at 15:00 takes two", async () => {
    await openToday(`device=${device}`);
    const clicks = await countClicks(page);
    await page.getByRole("button", { name: "Search or jump" }).click();
    await page.keyboard.type("last tuesday 15:00");
    await page
      .getByRole("option", { name: /timeline/i })
      .first()
      .click();
    await expect.poll(() => page.url()).toContain("#/timeline");
    expect(await clicks()).toBe(2);
    expect(timeOf("start")).toBe(Date.parse(`${TUESDAY}T14:00Z`));
    expect(timeOf("end")).toBe(Date.parse(`${TUESDAY}T16:00Z`));
  });

  it("a project this month against the last takes two, and names the dates", async () => {
    await openToday(`date=${YESTERDAY}`);
    const clicks = await countClicks(page);
    await rowOf("Projects", "Client").hover();
    await menuOf("Projects", "Client").click();
    await page.getByRole("menuitem", { name: "Compare this month with last" }).click();
    await expect.poll(() => page.url()).toContain("compare=previous");
    expect(await clicks()).toBe(2);
    await ready(page);
    await page
      .getByText(/vs 1\b/)
      .first()
      .waitFor();
  });

  it("another category for an app takes two, with its preview before the second and one undo", async () => {
    await openToday(`date=${YESTERDAY}&device=${device}`);
    const clicks = await countClicks(page);
    await page.getByRole("button", { name: "Change the category of Almanac", exact: true }).click();
    const option = page.getByRole("option", { name: "Work", exact: true });
    await option.hover();
    await page.locator("[data-moved='3600']").waitFor();
    await page.waitForTimeout(400); // as long as it takes to read it
    await option.click();
    await page.getByRole("status").getByText("Almanac is now in Work").waitFor();
    expect(await clicks()).toBe(2);
    await page.getByRole("dialog", { name: "Change the category" }).waitFor({ state: "detached" });
    await undoByMessage(page, "Almanac is now in Work");
  });

  it("a client's timesheet of any dates as CSV takes five", async () => {
    await openToday(`date=${YESTERDAY}`);
    const clicks = await countClicks(page);
    await rowOf("Projects", "Client").locator("[data-row]").click();
    await page.getByRole("link", { name: "Reports" }).click();
    await page.locator("[data-bar=context] [aria-haspopup=dialog]").first().click();
    await page.getByLabel("From", { exact: true }).fill(FIRST);
    await page.getByLabel("To", { exact: true }).fill(LAST);
    await page.getByRole("button", { name: "Show range" }).click();
    await expect.poll(() => timeOf("start")).toBe(Date.parse(`${FIRST}T00:00Z`));
    await ready(page);
    const downloading = page.waitForEvent("download");
    await page.getByRole("link", { name: "CSV", exact: true }).click();
    const csv = readFileSync(await (await downloading).path(), "utf-8")
      .trim()
      .split("\r\n");
    expect(await clicks()).toBe(5);
    expect(csv.slice(1, -1).map((line) => line.split(",")[0])).toEqual([FIRST, "2025-11-01", LAST]);
  });

  it("an hour is deleted in three, and restored on another day in two", async () => {
    await openToday(`date=${YESTERDAY}&device=${device}`);
    const before = await events();
    const clicks = await countClicks(page);
    const [from, to] = [await placeOf(11.8), await placeOf(13.2)];
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 5 });
    await page.mouse.up();
    await page.getByRole("link", { name: "Delete events…" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete events" });
    await dialog.getByRole("button", { name: /^Delete \d+ event/ }).click();
    await page.getByText(/^Deleted \d+ event/).waitFor();
    expect(await clicks()).toBe(3);
    expect((await events()).length).toBe(before.length - 1);
    await openToday("");
    const later = await countClicks(page);
    await page.keyboard.press("Control+z");
    await page.getByRole("button", { name: /^Undo/ }).first().click();
    await expect.poll(async () => (await events()).length).toBe(before.length);
    expect(await later()).toBeLessThanOrEqual(2);
  });

  it("the share of a phone takes none", async () => {
    await openToday(`date=${YESTERDAY}`);
    const devices = page.getByRole("group", { name: "Active time by device" });
    expect(await devices.getByRole("button", { name: /^phone/ }).innerText()).toMatch(/\d+ %/);
  });

  it("an app is excluded in three, without a pattern", async () => {
    await openToday(`date=${YESTERDAY}&device=${device}`);
    const clicks = await countClicks(page);
    await rowOf("Apps", "Signal").hover();
    await menuOf("Apps", "Signal").click();
    await page.getByRole("menuitem", { name: "Never record…" }).click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByText("Pattern").filter({ visible: true }).count()).toBe(0);
    await dialog.getByRole("button", { name: "Never record" }).click();
    await page.getByRole("status").getByText("Signal is no longer recorded").waitFor();
    expect(await clicks()).toBe(3);
    await undoByMessage(page, "Signal is no longer recorded");
  });
});

describe("by keyboard alone from Today", () => {
  const isFocused = (target: Locator) => target.evaluate((each) => each === document.activeElement);

  async function press(...keys: string[]): Promise<void> {
    for (const key of keys) await page.keyboard.press(key);
  }
  async function tabTo(target: Locator, key = "Tab"): Promise<void> {
    for (let step = 0; step < 120 && !(await isFocused(target)); step += 1) await page.keyboard.press(key);
    expect(await isFocused(target)).toBe(true);
  }
  /** Opens the menu of a row, and runs the command with this name. */
  async function runInMenu(list: string, name: string, command: string): Promise<void> {
    await tabTo(rowOf(list, name).locator("[data-row]"));
    await press("ArrowRight", "Enter");
    await tabTo(page.getByRole("menuitem", { name: command }), "ArrowDown");
    await press("Enter");
  }

  it("last Tuesday at 15:00 is found", async () => {
    await openToday(`device=${device}`);
    await press("Control+k");
    await page.keyboard.type("last tuesday 15:00");
    await page
      .getByRole("option", { name: /timeline/i })
      .first()
      .waitFor();
    await press("Enter");
    await expect.poll(() => timeOf("start")).toBe(Date.parse(`${TUESDAY}T14:00Z`));
  });

  it("a project is compared with last month", async () => {
    await openToday(`date=${YESTERDAY}`);
    await runInMenu("Projects", "Client", "Compare this month with last");
    await expect.poll(() => page.url()).toContain("compare=previous");
  });

  it("an app gets another category", async () => {
    await openToday(`date=${YESTERDAY}&device=${device}`);
    await tabTo(rowOf("Apps", "Almanac").locator("[data-row]"));
    await press("ArrowLeft", "Enter");
    await page.getByRole("dialog", { name: "Change the category" }).waitFor();
    await page.keyboard.type("Work");
    await press("Enter");
    await page.locator("[data-moved='3600']").waitFor();
    await press("Enter");
    await page.getByRole("status").getByText("Almanac is now in Work").waitFor();
    await press("Control+z");
    await page.getByText("Undone: Almanac is now in Work").waitFor();
  });

  it("a timesheet of any dates is made", async () => {
    await openToday(`date=${YESTERDAY}`);
    await tabTo(rowOf("Projects", "Client").locator("[data-row]"));
    await press("Enter");
    await expect.poll(() => page.url()).toContain("filter=");
    await press("g", "p");
    await expect.poll(() => page.url()).toContain("#/reports");
    await ready(page);
    await tabTo(page.locator("[data-bar=context] [aria-haspopup=dialog]").first());
    await press("Enter");
    await tabTo(page.getByLabel("From", { exact: true }));
    // The browser writes dates in its own language, whatever that of the page is.
    await page.keyboard.type("10152025");
    await tabTo(page.getByLabel("To", { exact: true }));
    await page.keyboard.type("11142025");
    await press("Enter");
    await expect.poll(() => timeOf("start")).toBe(Date.parse(`${FIRST}T00:00Z`));
    await ready(page);
    await tabTo(page.getByRole("link", { name: "CSV", exact: true }));
    const downloading = page.waitForEvent("download");
    await press("Enter");
    await downloading;
  });

  it("an hour is deleted and restored", async () => {
    await openToday(`date=${YESTERDAY}&device=${device}`);
    const before = await events();
    await tabTo(page.getByRole("listbox"));
    await press("End", "Enter");
    await tabTo(page.getByRole("link", { name: "Delete events…" }));
    await press("Enter");
    const remove = page.getByRole("dialog").getByRole("button", { name: /^Delete \d+ event/ });
    await remove.waitFor();
    await tabTo(remove);
    await press("Enter");
    await expect.poll(async () => (await events()).length).toBe(before.length - 1);
    await openToday("");
    await press("Control+z");
    const undo = page.getByRole("button", { name: /^Undo/ }).first();
    await undo.waitFor();
    await tabTo(undo, "Shift+Tab");
    await press("Enter");
    await expect.poll(async () => (await events()).length).toBe(before.length);
  });

  it("an app is excluded", async () => {
    await openToday(`date=${YESTERDAY}&device=${device}`);
    await runInMenu("Apps", "Signal", "Never record…");
    const never = page.getByRole("dialog").getByRole("button", { name: "Never record" });
    await never.waitFor();
    await tabTo(never);
    await press("Enter");
    await page.getByRole("status").getByText("Signal is no longer recorded").waitFor();
    await press("Control+z");
    await page.getByText("Undone: Signal is no longer recorded").waitFor();
  });
});
