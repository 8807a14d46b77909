import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { violations } from "./axe.ts";
import { expectNoOverflow, open, ready, undoByMessage, type Watched } from "./browser.ts";
import { Server } from "./server.ts";

interface Row {
  key: string[];
  seconds: number;
}
interface Category {
  name: string[];
  color: string | null;
  conditions: { field: string; value: string }[];
}

let server: Server;
let original: unknown;
beforeAll(async () => {
  server = await Server.start();
  original = await server.get("/api/0/settings/classes");
});
afterAll(() => server.stop());

/** The seconds of a category in the last 30 days, by the server's own account. */
async function secondsOf(...path: string[]): Promise<number> {
  const { lists } = await server.get<{ lists: { category: Row[] } }>(
    "/api/1/summary?period=last-30-days&by=category&limit=500",
  );
  return lists.category.find(({ key }) => key.join("/") === path.join("/"))?.seconds ?? 0;
}

async function saved(): Promise<Category[]> {
  return (await server.get<{ categories: Category[] }>("/api/1/categories")).categories;
}

/** Press Tab until something has the focus. */
async function tabTo(page: Page, what: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    if (await page.evaluate((selector) => document.activeElement?.matches(selector), what)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab never came to ${what}`);
}

function toast(page: Page, text: string) {
  return page.getByRole("status").filter({ hasText: text }).last();
}

describe("categories", () => {
  let page: Page;
  let tolerate: Watched["tolerate"];
  beforeEach(async () => {
    await server.post("/api/0/settings/classes", original);
    ({ page, tolerate } = await open(`${server.url}/#/categories`, { timezoneId: "UTC" }));
  });

  it("a rule is made by keyboard alone, its preview is what saving moves, and only one question is open at a time", async () => {
    const before = await secondsOf("Errands");
    await tabTo(page, "[role=treeitem]");
    await page.keyboard.press("End");
    await expect.poll(() => page.url()).toContain("category=Errands");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate(() => document.activeElement?.matches("[data-name]"))).toBe(true);

    const live = new Set<unknown>();
    let most = 0;
    let last = "";
    page.on("request", (request) => {
      if (!request.url().includes("/categories/preview")) return;
      live.add(request);
      last = request.postData() ?? "";
      most = Math.max(most, live.size);
    });
    page.on("requestfinished", (request) => live.delete(request));
    page.on("requestfailed", (request) => live.delete(request));

    for (const name of ["Add condition", "Field"]) {
      for (let presses = 0; presses < 30; presses += 1) {
        const focused = await page.evaluate(
          () =>
            document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent?.trim(),
        );
        if (focused === name) break;
        await page.keyboard.press(name === "Field" ? "Shift+Tab" : "Tab");
      }
      if (name === "Add condition") {
        await page.keyboard.press("Enter");
        await expect
          .poll(() => page.evaluate(() => document.activeElement?.matches("[data-condition]")))
          .toBe(true);
      }
    }
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Mozilla Firefox as ty", { delay: 5 });
    for (let presses = 0; presses < 6; presses += 1) await page.keyboard.press("Backspace");
    const moved = page.locator("[data-moved]");
    await moved.waitFor();
    await expect.poll(() => live.size).toBe(0);
    expect(last).toContain('"Mozilla Firefox"');
    expect(most).toBe(1);
    await page.locator("main[data-ready=true]").waitFor();
    const hours = Number(await moved.getAttribute("data-moved"));
    expect(hours).toBeGreaterThan(60);
    expect(await page.locator("mark").first().textContent()).toBe("Mozilla Firefox");

    await page.keyboard.press("Control+s");
    await toast(page, "Categories saved").waitFor();
    expect((await secondsOf("Errands")) - before).toBeCloseTo(hours, 0);
    await expect
      .poll(async () => (await saved()).find(({ name }) => name[0] === "Errands")?.conditions[0])
      .toMatchObject({ field: "title", op: "has", value: "Mozilla Firefox" });

    // Outside of a field, Ctrl Z is about what was done last.
    await page.locator("h1").click();
    await page.keyboard.press("Control+z");
    await toast(page, "Undone: Categories saved").waitFor();
    expect(await secondsOf("Errands")).toBeCloseTo(before, 0);
  });

  it("a bad expression is said where it stands, a rule that matches nothing too, and discarding brings all back", async () => {
    tolerate(/\b4\d\d\b/); // the server refuses such a list, as it should
    await page.getByRole("treeitem", { name: /^Errands/ }).click();
    await page
      .getByRole("button", { name: "Add regular expression" })
      .or(page.getByRole("button", { name: "Add condition", exact: true }))
      .last()
      .click();
    await page.getByRole("combobox", { name: "Operator" }).last().selectOption("regex");
    const value = page.getByRole("textbox", { name: "Value" }).last();
    await value.fill("(never");
    await page.getByText(/missing \)/).waitFor();
    expect(await value.getAttribute("aria-invalid")).toBe("true");
    await value.fill("never to be seen 4711");
    await page
      .getByText(/matches nothing/i)
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Discard" }).click();
    await expect.poll(() => page.getByRole("button", { name: /^Save/ }).isDisabled()).toBe(true);
  });

  it("a category is moved by Alt and the arrows, and the page is not left without asking", async () => {
    const row = page.getByRole("treeitem", { name: /^Errands/ });
    await row.click();
    await page.keyboard.press("Alt+ArrowRight");
    await expect.poll(() => page.url()).toContain("category=Media%2FErrands");
    expect(await page.getByRole("treeitem", { name: /^Errands/ }).getAttribute("aria-level")).toBe("2");
    await page.getByRole("link", { name: "Trends" }).first().click();
    await page.getByRole("dialog", { name: "Unsaved changes" }).waitFor();
    expect(page.url()).toContain("#/categories");
    await page.getByRole("button", { name: "Stay" }).click();
    await page.getByRole("treeitem", { name: /^Errands/ }).focus();
    await page.keyboard.press("Alt+ArrowLeft");
    await page.keyboard.press("Alt+ArrowDown");
    await expect.poll(() => page.url()).toContain("category=Errands");
    await expect.poll(() => page.getByRole("button", { name: /^Save/ }).isDisabled()).toBe(true);
    await page.reload();
    await ready(page);
    expect(await page.getByRole("treeitem", { selected: true }).textContent()).toContain("Errands");
  });

  it("the top suggestion lowers the time without a category by what it says, and undo raises it again", async () => {
    const { suggestions } = await server.get<{ suggestions: { value: string; seconds: number }[] }>(
      "/api/1/categories/suggestions?period=last-30-days",
    );
    const top = suggestions[0];
    const before = await secondsOf("Uncategorized");
    await page.getByRole("button", { name: /^Uncategorized/ }).click();
    const first = page.locator("[data-suggestion]").first();
    await first.focus();
    await page.keyboard.press("Enter");
    await toast(page, `${top?.value} is now in`).waitFor();
    expect(before - (await secondsOf("Uncategorized"))).toBeCloseTo(top?.seconds ?? 0, 0);
    await undoByMessage(page, `${top?.value} is now in`);
    expect(await secondsOf("Uncategorized")).toBeCloseTo(before, 0);
  });

  it("all known apps and sites are categorized in one step, and undone in one", async () => {
    const unused = { id: 1, name: ["Other"], rule: { type: "regex", regex: "no such title" }, data: {} };
    await server.post("/api/0/settings/classes", [unused]);
    await page.reload();
    await ready(page);
    const before = await secondsOf("Uncategorized");
    await page.getByRole("button", { name: /^Uncategorized/ }).click();
    await page.getByRole("button", { name: /^Accept these \d+$/ }).click();
    await toast(page, "Categorized").waitFor();
    expect(await secondsOf("Uncategorized")).toBeLessThan(0.2 * before);
    await undoByMessage(page, "Categorized");
    expect(await secondsOf("Uncategorized")).toBeCloseTo(before, 0);
  });

  it("two tabs that change the same: the second sees both, and neither is lost", async () => {
    const other = await open(`${server.url}/#/categories?category=Media`, { colorScheme: "dark" });
    other.tolerate(/\b4\d\d\b/); // the refusal is what this is about
    await page.goto(`${server.url}/#/categories?category=Errands`);
    await ready(page);
    await addValue(page, "first tab");
    await addValue(other.page, "second tab");
    await page.getByRole("button", { name: /^Save/ }).click();
    await toast(page, "Categories saved").waitFor();
    await other.page.getByRole("button", { name: /^Save/ }).click();
    const dialog = other.page.getByRole("dialog", { name: /changed elsewhere/ });
    await dialog.waitFor();
    expect(await dialog.getByRole("region", { name: "Your changes" }).textContent()).toContain("second tab");
    expect(await dialog.getByRole("region", { name: "Other changes" }).textContent()).toContain("first tab");
    expect(await violations(other.page, "dialog[open]")).toEqual([]);
    await dialog.getByRole("button", { name: "Merge both" }).click();
    await toast(other.page, "Categories saved").waitFor();
    const values = (await saved()).flatMap(({ conditions }) => conditions.map(({ value }) => value));
    expect(values).toEqual(expect.arrayContaining(["first tab", "second tab"]));
  });

  // The reason was passed through `messageOf` twice, which called every reason of the server a problem of this page.
  it("a conflict whose other side cannot be read says why, in the words of the server", async () => {
    const other = await open(`${server.url}/#/categories?category=Media`, { colorScheme: "dark" });
    other.tolerate(/\b[45]\d\d\b/);
    await page.goto(`${server.url}/#/categories?category=Errands`);
    await ready(page);
    await addValue(page, "saved first");
    await addValue(other.page, "saved too late");
    await page.getByRole("button", { name: /^Save/ }).click();
    await toast(page, "Categories saved").waitFor();
    await other.page.route("**/api/1/categories", (route) =>
      route.request().method() === "GET"
        ? route.fulfill({ status: 503, json: { message: "the database is busy", type: "Unavailable" } })
        : route.continue(),
    );
    await other.page.getByRole("button", { name: /^Save/ }).click();
    await toast(other.page, "The categories were changed elsewhere: the database is busy").waitFor();
  });

  it("history tells who changed what, and brings a version back", async () => {
    await page.goto(`${server.url}/#/categories?category=Errands`);
    await ready(page);
    await addValue(page, "in history");
    await page.getByRole("button", { name: /^Save/ }).click();
    await toast(page, "Categories saved").waitFor();
    await page.getByRole("button", { name: "History" }).click();
    const dialog = page.getByRole("dialog", { name: "History" });
    await dialog.getByText("+ title has in history").first().waitFor();
    expect(await violations(page, "dialog[open]")).toEqual([]);
    await dialog.getByRole("list", { name: "Versions" }).getByRole("button").last().click();
    await dialog.getByRole("button", { name: "Restore version 1" }).click();
    await toast(page, "Restored version 1").waitFor();
    expect((await saved()).flatMap(({ conditions }) => conditions)).toEqual([]);
  });

  it("an address brings a draft of a rule", async () => {
    await page.goto(`${server.url}/#/categories?draft=app:is:Duolingo`);
    await ready(page);
    await page.getByRole("combobox", { name: "Category" }).selectOption("Errands");
    await page.getByRole("button", { name: "Add rule" }).click();
    await expect.poll(() => page.getByRole("textbox", { name: "Value" }).inputValue()).toBe("Duolingo");
    await page.locator("[data-moved]").waitFor();
    expect(page.url()).not.toContain("draft=");
    expect(await violations(page, "main")).toEqual([]);
  });
});

async function addValue(page: Page, text: string): Promise<void> {
  await page.getByRole("button", { name: "Add condition", exact: true }).click();
  await page.getByRole("textbox", { name: "Value" }).last().fill(text);
}

it("an empty store offers sets to begin with, at 320 pixels too", async () => {
  const empty = await Server.startForTest({ data: "empty" });
  const { page } = await open(`${empty.url}/#/categories`, { viewport: { width: 320, height: 640 } });
  await page.getByRole("heading", { name: /No categories yet/ }).waitFor();
  await expectNoOverflow(page);
  await page.getByRole("button", { name: "Use this set" }).first().click();
  await page.getByRole("tree", { name: "Categories" }).waitFor();
  await page.getByRole("treeitem", { name: /^Work/ }).first().click();
  await page.getByRole("radio", { name: "Rule" }).check({ force: true });
  await page.getByRole("textbox", { name: "Name" }).waitFor();
  await expectNoOverflow(page);
});
