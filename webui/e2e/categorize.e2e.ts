// Something gets another category on the page where it is.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { contrastViolations, violations } from "./axe.ts";
import { expectNoOverflow, open, ready, undoByMessage } from "./browser.ts";
import { countClicks } from "./clicks.ts";
import { Server } from "./server.ts";

interface Category {
  name: string[];
  conditions: { field: string; value: string }[];
}

const DAY = "2025-05-05";
let server: Server;
let bucket: string;
let page: Page;

beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server.stop());

beforeEach(async () => {
  await server.call("PUT", "/api/1/categories", {
    categories: [
      { name: ["Work"] },
      { name: ["Work", "Press"], rule: { regex: "^Herald$" } },
      { name: ["Fun"] },
    ],
  });
  const event = (time: string, app: string) => ({
    timestamp: `${DAY}T${time}:00Z`,
    duration: 3600,
    data: { app, title: `${app} of today` },
  });
  bucket = await server.addBucket("press", {
    type: "currentwindow",
    events: [event("08:00", "Gazette"), event("09:00", "Almanac"), event("10:00", "Herald")],
  });
});

async function visit(hash: string): Promise<void> {
  ({ page } = await open(`${server.url}/${hash}`, { timezoneId: "UTC", locale: "en-GB" }));
}

const today = () => visit(`#/today?date=${DAY}&device=${bucket}`);
const form = () => page.getByRole("dialog", { name: "Change the category" });
const field = () => page.getByRole("combobox", { name: "Category", exact: true });
const moved = () => page.locator("[data-moved]");
const mark = (name: string) =>
  page.getByRole("button", { name: `Change the category of ${name}`, exact: true });
const toast = (text: string) => page.getByRole("status").filter({ hasText: text }).last();

/** The seconds of a category on the day. */
async function secondsOf(...path: string[]): Promise<number> {
  const { lists } = await server.get<{ lists: { category: { key: string[]; seconds: number }[] } }>(
    `/api/1/summary?period=day&date=${DAY}&tz=UTC&by=category&device=${bucket}`,
  );
  return lists.category.find(({ key }) => key.join("/") === path.join("/"))?.seconds ?? 0;
}

async function valuesIn(...path: string[]): Promise<string[]> {
  const { categories } = await server.get<{ categories: Category[] }>("/api/1/categories");
  const found = categories.find(({ name }) => name.join("/") === path.join("/"));
  return (found?.conditions ?? []).map(({ field, value }) => `${field} ${value}`).sort();
}

async function choose(category: string): Promise<void> {
  await page.getByRole("option", { name: category, exact: true }).click();
  await moved().waitFor();
}

async function save(): Promise<void> {
  await page.getByRole("button", { name: "Save", exact: true }).click();
}

describe("on Today", () => {
  it("a category is fixed in three clicks, moves the time that the preview names, and is undone", async () => {
    await today();
    const clicks = await countClicks(page);
    await mark("Gazette").click();
    await page.getByRole("option", { name: "Work", exact: true }).click();
    await moved().waitFor();
    expect(Number(await moved().getAttribute("data-moved"))).toBe(3600);
    expect(await moved().innerText()).toMatch(/^1h 00m would move/);
    await save();
    await toast("Gazette is now in Work").waitFor();
    expect(await clicks()).toBe(3);
    expect(page.url()).toContain("#/today");
    await form().waitFor({ state: "detached" });
    expect(await secondsOf("Work")).toBe(3600);
    // With the hour of Press below it.
    const work = page
      .getByRole("list", { name: "Categories" })
      .getByRole("listitem")
      .filter({ hasText: "Work" });
    await work.filter({ hasText: "2h 00m" }).waitFor();
    await undoByMessage(page, "Gazette is now in Work");
    await work.filter({ hasText: "1h 00m" }).waitFor();
    expect(await secondsOf("Work")).toBe(0);
  });

  it("a new category is typed with the keyboard alone, and the focus returns to the row", async () => {
    await today();
    await mark("Gazette").focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => field().evaluate((each) => each === document.activeElement)).toBe(true);
    expect(await violations(page, "[popover]")).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await contrastViolations(page, "[popover]")).toEqual([]);
    await page.keyboard.type("work/re");
    await page.getByRole("option", { name: "New category “work › re”" }).waitFor();
    await page.keyboard.press("Backspace");
    await page.keyboard.press("Backspace");
    await page.keyboard.type("Reading");
    await page.getByRole("option", { name: "New category “work › Reading”" }).waitFor();
    await page.keyboard.press("Enter");
    await moved().waitFor();
    await page.keyboard.press("Enter");
    await toast("Gazette is now in work › Reading").waitFor();
    await form().waitFor({ state: "detached" });
    expect(await secondsOf("work", "Reading")).toBe(3600);
    await expect.poll(() => mark("Gazette").evaluate((each) => each === document.activeElement)).toBe(true);
  });

  it("Esc closes the form and changes nothing", async () => {
    await today();
    await mark("Gazette").click();
    await choose("Work");
    await page.keyboard.press("Escape");
    await form().waitFor({ state: "detached" });
    expect(await valuesIn("Work")).toEqual([]);
  });

  it("several rows of a table are categorized at once, and undone at once", async () => {
    await today();
    await page.getByRole("button", { name: /: Apps$/ }).click();
    await page.getByRole("checkbox", { name: "Select Gazette" }).check();
    await page.getByRole("checkbox", { name: "Select Almanac" }).check();
    await page.getByText("2 selected").waitFor();
    await page.getByRole("button", { name: "Categorize…" }).click();
    await choose("Fun");
    expect(Number(await moved().getAttribute("data-moved"))).toBe(7200);
    expect(await violations(page, "dialog[open]")).toEqual([]);
    await save();
    await expect.poll(() => valuesIn("Fun")).toEqual(["app Almanac", "app Gazette"]);
    await form().waitFor({ state: "detached" });
    await page.getByText("2 selected").waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("button", { name: /^Undo/ }).click();
    await expect.poll(() => valuesIn("Fun")).toEqual([]);
  });

  it("uncategorized time is categorized by what is in it", async () => {
    await today();
    await mark("Uncategorized").click();
    const boxes = form().getByRole("checkbox");
    await expect.poll(() => boxes.count()).toBe(2);
    expect(await form().getByRole("checkbox", { checked: true }).count()).toBe(1);
    for (const box of await boxes.all()) await box.check();
    await choose("Fun");
    await save();
    await expect.poll(() => secondsOf("Fun")).toBe(7200);
  });

  it("a rule that would lose says which rules win, and can get a higher priority", async () => {
    await today();
    await mark("Herald").click();
    await page.getByRole("option", { name: "Fun", exact: true }).click();
    await form().getByText("the rules of Work › Press win").waitFor();
    await page.getByRole("button", { name: "Give Fun a higher priority" }).click();
    await moved().waitFor();
    expect(Number(await moved().getAttribute("data-moved"))).toBe(3600);
    await save();
    await expect.poll(() => secondsOf("Fun")).toBe(3600);
  });

  it("the menu of a row, a span of the strip and the explanation of a category lead to the same form", async () => {
    await today();
    await page.getByRole("button", { name: "More actions for Gazette", exact: true }).focus(); // shows it
    await page.getByRole("button", { name: "More actions for Gazette", exact: true }).click();
    await page.getByRole("menuitem", { name: "Categorize…" }).click();
    await field().waitFor();
    await page.keyboard.press("Escape");
    await form().waitFor({ state: "detached" });

    await page.getByRole("listbox", { name: /^Active windows/ }).focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    const selection = page.getByRole("region", { name: "Selection" });
    await selection.getByRole("button", { name: "Categorize…" }).click();
    await form().getByText("app is Gazette").waitFor();
    await page.keyboard.press("Escape");
    await form().waitFor({ state: "detached" });

    await page.getByRole("button", { name: "More actions for Almanac", exact: true }).focus(); // shows it
    await page.getByRole("button", { name: "More actions for Almanac", exact: true }).click();
    await page.getByRole("menuitem", { name: "Why this category?" }).click();
    await page.getByRole("button", { name: "Change the category…" }).click();
    await page
      .getByRole("dialog")
      .getByRole("checkbox", { name: /^app is Almanac/ })
      .waitFor();
    await choose("Fun");
    await save();
    await expect.poll(() => valuesIn("Fun")).toEqual(["app Almanac"]);
  });
});

it("an event on the timeline is categorized from its panel", async () => {
  const [first] = await server.get<{ id: number }[]>(`/api/0/buckets/${bucket}/events?limit=1`);
  await visit(
    `#/timeline?start=${DAY}T07:00:00Z&end=${DAY}T12:00:00Z&device=${bucket}&event=${first?.id}@${bucket}`,
  );
  await page.getByRole("complementary").getByRole("button", { name: "Categorize…" }).click();
  await form().getByRole("checkbox", { name: "app is Herald" }).waitFor();
  await form().getByRole("checkbox", { name: "app is Herald" }).uncheck();
  await form().getByRole("checkbox", { name: "title is Herald of today" }).check();
  await page.getByRole("option", { name: "Fun", exact: true }).click();
  await form().getByText("the rules of Work › Press win").waitFor();
  await save();
  await expect.poll(() => valuesIn("Fun")).toEqual(["title Herald of today"]);
});

describe("on Categories", () => {
  it("uncategorized rows are selected and categorized together", async () => {
    await visit("#/categories");
    const rows = page.getByRole("checkbox", { name: /^Select / });
    await rows.nth(0).check();
    await rows.nth(1).check();
    await page.getByRole("button", { name: "Categorize…" }).click();
    await expect.poll(() => form().getByRole("checkbox", { checked: true }).count()).toBe(2);
    await choose("Fun");
    await save();
    await expect.poll(async () => (await valuesIn("Fun")).length).toBe(2);
  });

  it("a phone opens the rule of a category, and not the tree", async () => {
    await visit("#/categories?category=Fun");
    await page.setViewportSize({ width: 390, height: 844 });
    const rule = page.getByRole("heading", { name: "Rules for Fun" });
    await rule.waitFor();
    expect(await page.getByRole("tree").isVisible()).toBe(false);
    await page.getByText("Tree", { exact: true }).click();
    await page.getByRole("treeitem", { name: /^Press/ }).click();
    await page.getByRole("heading", { name: "Rules for Work › Press" }).waitFor();
    expect(await page.getByRole("tree").isVisible()).toBe(false);
    await expectNoOverflow(page);
  });
});

it("the form fits on a phone", async () => {
  await today();
  await page.setViewportSize({ width: 390, height: 844 });
  await mark("Gazette").click();
  await choose("Work");
  await expectNoOverflow(page);
  const box = await form().boundingBox();
  expect(box?.x).toBeGreaterThanOrEqual(0);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
  await ready(page);
});
