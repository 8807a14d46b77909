// What was changed, by whom and when, with one undo for each change; and any range from the calendar.
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { violations } from "./axe.ts";
import { open, ready } from "./browser.ts";
import { demoServer, type Server } from "./server.ts";

let server: Server;
beforeAll(async () => {
  server = await demoServer();
});

const yesterday = () => new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
const MINUTES = [0, 10, 20, 30];

function bucket(name: string): Promise<string> {
  return server.addBucket(name, {
    type: "currentwindow",
    events: MINUTES.map((minute) => ({
      timestamp: `${yesterday()}T12:${String(minute).padStart(2, "0")}:00Z`,
      duration: 60,
      data: { app: name, title: `${minute}` },
    })),
  });
}

async function count(id: string): Promise<number> {
  return (await server.get<unknown[]>(`/api/0/buckets/${id}/events`)).length;
}

async function deleteTogether(group: string, ...ids: string[]): Promise<void> {
  for (const id of ids)
    await server.call(
      "POST",
      "/api/1/events/delete",
      { bucket: id, start: `${yesterday()}T12:00:00Z`, end: `${yesterday()}T12:25:00Z` },
      { "Undo-Group": group },
    );
}

const row = (page: Page, id: string) => page.getByRole("row").filter({ hasText: id });

it("one delete over several buckets is one row with what, when and by whom, and one undo", async () => {
  const [one, two] = [await bucket("changed-one"), await bucket("changed-two")];
  await deleteTogether(`group-${one}`, one, two);
  expect([await count(one), await count(two)]).toEqual([1, 1]);
  const { page } = await open(`${server.url}/#/buckets?tab=trash`, { timezoneId: "UTC" });
  await row(page, one).waitFor();
  expect(await row(page, one).innerText()).toMatch(/Today[\s\S]*6 events deleted.*12:00[\s\S]*in 2 buckets/);
  expect(await violations(page)).toEqual([]);
  await page.getByRole("searchbox", { name: "Find changes" }).fill(`deleted ${two}`);
  await expect.poll(() => page.getByRole("row").count()).toBe(2);
  await row(page, one).getByRole("button", { name: /^Undo/ }).click();
  await row(page, one).waitFor({ state: "detached" });
  expect([await count(one), await count(two)]).toEqual([4, 4]);
});

it("Ctrl Z after a reload offers the newest change, whoever made it", async () => {
  const one = await bucket("changed-three");
  const { page } = await open(`${server.url}/#/today`, { timezoneId: "UTC" });
  await deleteTogether(`group-${one}`, one);
  await page.keyboard.press("Control+z");
  const message = page.getByRole("status").filter({ hasText: `Latest change: 3 events deleted` });
  await message.first().waitFor();
  expect(await count(one)).toBe(1); // nothing is undone before it is seen
  await message.getByRole("button", { name: /^Undo/ }).first().click();
  await expect.poll(() => count(one)).toBe(4);
});

it("the palette finds undo, changes, timesheet and csv", async () => {
  const { page } = await open(`${server.url}/#/today`, { timezoneId: "UTC" });
  for (const [typed, found] of [
    ["undo", "Undo"],
    ["changes", "Show changes"],
    ["timesheet", "Timesheet"],
    ["csv", "Timesheet as CSV"],
  ] as const) {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /Search or jump/ }).fill(typed);
    await page.getByRole("option", { name: found }).first().waitFor();
    await page.keyboard.press("Escape");
  }
});

it("a note creates no device", async () => {
  const { page } = await open(`${server.url}/#/today`, { timezoneId: "UTC" });
  const start = `${yesterday()}T09:00:00Z`;
  const made = await server.post<{ undo: number }>("/api/1/annotations", {
    kind: "label",
    start,
    end: `${yesterday()}T09:30:00Z`,
    label: "Planning",
  });
  await page.reload();
  await ready(page);
  await page.getByRole("button", { name: /Devices:/ }).click();
  expect(await page.getByRole("menuitemcheckbox", { name: "unknown" }).count()).toBe(0);
  await server.post(`/api/1/undo/${made.undo}`);
});

it("the calendar shows days by active time, and a day, a drag and dates choose any range", async () => {
  const { page } = await open(`${server.url}/#/today?date=${yesterday()}`, { timezoneId: "UTC" });
  const picker = page.locator("[data-bar=context] [aria-haspopup=dialog]").first();
  await picker.click();
  const grid = page.getByRole("table", { name: "Days by active time" });
  await grid.waitFor();
  expect(await violations(page, "[popover]:popover-open")).toEqual([]);
  const days = grid.locator("button:not(:disabled)");
  const first = (await days.first().getAttribute("data-date")) ?? "";
  await days.first().focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => page.url()).toContain(`date=${first}`);
  await picker.click();
  await page.getByRole("button", { name: "Last 7 days" }).click();
  await expect.poll(() => page.url()).toContain("start=");
  await ready(page);
  const range = () => {
    const params = new URLSearchParams(page.url().split("?")[1]);
    return [params.get("start") ?? "", params.get("end") ?? ""].map((edge) => Date.parse(edge));
  };
  const [start, end] = range();
  expect((end ?? 0) - (start ?? 0)).toBe(7 * 86_400_000);
  expect(await picker.textContent()).not.toMatch(/:/);
  await page.getByRole("button", { name: /^Previous/ }).click();
  await expect.poll(range).toEqual([(start ?? 0) - 7 * 86_400_000, start]);
});

it("the arrows of the week grid move by a week", async () => {
  const { page } = await open(`${server.url}/#/timeline?view=week&date=${yesterday()}`, {
    timezoneId: "UTC",
  });
  await page.getByRole("button", { name: /^Previous week/ }).click();
  const before = new Date(Date.parse(yesterday()) - 7 * 86_400_000).toISOString().slice(0, 10);
  await expect.poll(() => page.url()).toContain(`date=${before}`);
  await ready(page);
  await page.getByRole("button", { name: /^Next week/ }).click();
  await expect.poll(() => page.url()).toContain(`date=${yesterday()}`);
});

it("shares of devices are under the active time, and a click filters", async () => {
  const { page } = await open(`${server.url}/#/today?period=month`, { timezoneId: "UTC" });
  const devices = page.getByRole("group", { name: "Active time by device" });
  await devices.waitFor();
  const first = devices.getByRole("button").first();
  expect(await first.innerText()).toMatch(/\d+ %/);
  const name = (await first.getAttribute("data-device")) ?? "";
  await first.click();
  await expect.poll(() => decodeURIComponent(page.url())).toContain(`device=${name}`);
});

it("working hours are set in the settings", async () => {
  const { page } = await open(`${server.url}/#/settings/goals`, { timezoneId: "UTC" });
  const monday = page.getByRole("checkbox", { name: "Monday" });
  await monday.check();
  await page.getByLabel("Monday, to").fill("16:30");
  const hours = () => server.get<Record<string, string | null>>("/api/1/goals/work-hours");
  await page.getByLabel("Monday, to").press("Tab");
  await expect.poll(async () => (await hours()).monday).toBe("09:00-16:30");
  expect(await violations(page)).toEqual([]);
  await monday.uncheck();
  await expect.poll(async () => (await hours()).monday).toBe(null);
});
