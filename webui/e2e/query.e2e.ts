import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./axe.ts";
import { open, ready } from "./browser.ts";
import { Server } from "./server.ts";

let server: Server;
beforeAll(async () => {
  // One process for queries: whoever holds it holds up all others.
  server = await Server.start({ settings: "[query]\nworkers = 1\n" });
});
afterAll(() => server.stop());

const editor = (page: Page) => page.getByRole("textbox", { name: "Query", exact: true });
const TOP = `windows = flood(query_bucket(find_bucket("aw-watcher-window_")));
RETURN = sort_by_duration(merge_events_by_keys(windows, ["app"]));`;
const address = (program: string, params = "period=month") =>
  `${server.url}/#/query?${params}&q=${encodeURIComponent(program)}`;

async function run(page: Page) {
  await editor(page).focus();
  await page.keyboard.press("Control+Enter");
  await page.getByText("events read").waitFor();
}

describe("the editor", () => {
  it("completes functions, variables and buckets by Enter, and says what a call takes", async () => {
    const { page } = await open(`${server.url}/#/query?period=month`); // at dawn a day has nothing yet
    await page.getByText("query_bucket(bucket)").first().waitFor();
    await editor(page).focus();
    await page.keyboard.type("mine = flo");
    await page.getByRole("option", { name: /flood/, selected: true }).waitFor();
    expect(await violations(page, "main")).toEqual([]);
    await page.keyboard.press("Enter");
    expect(await editor(page).inputValue()).toBe("mine = flood()");
    await page.getByRole("status").filter({ hasText: "flood(events" }).first().waitFor();
    await page.keyboard.type("query_bucket(");
    await page.keyboard.type('"android');
    await page.getByRole("option", { name: /aw-watcher-android_phone/ }).waitFor();
    await page.keyboard.press("Enter");
    expect(await editor(page).inputValue()).toBe('mine = flood(query_bucket("aw-watcher-android_phone"))');
    await page.keyboard.press("End");
    await page.keyboard.type(";");
    await page.keyboard.press("Enter");
    await page.keyboard.type("RETURN = mi");
    await page.getByRole("option", { name: /mine/, selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.type(";");
    expect(await editor(page).inputValue()).toMatch(/\nRETURN = mine;$/);
    await run(page);
    await page.getByRole("columnheader", { name: "app" }).waitFor();
  });

  it("marks what is wrong at its line and column, and leads there", async () => {
    const { page } = await open(address("x = 1;\nRETURN = flod(x);"));
    await page.getByText("no function named `flod`").waitFor();
    const mark = page.locator(".query-fault");
    expect(await mark.getAttribute("data-line")).toBe("2");
    expect(await mark.getAttribute("data-column")).toBe("10");
    await page.getByRole("button", { name: "Line 2, column 10" }).click();
    expect(await editor(page).evaluate((area: HTMLTextAreaElement) => area.selectionStart)).toBe(16);
  });

  it("is no trap: Tab indents, and after Escape it leaves", async () => {
    const { page } = await open(`${server.url}/#/query`);
    await editor(page).focus();
    await page.keyboard.press("Tab");
    expect(await editor(page).inputValue()).toBe("  ");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    expect(await editor(page).evaluate((area) => area === document.activeElement)).toBe(false);
    await page.keyboard.press("Shift+Tab");
    expect(await editor(page).evaluate((area) => area === document.activeElement)).toBe(true);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Shift+Tab");
    expect(await editor(page).evaluate((area) => area === document.activeElement)).toBe(false);
  });
});

describe("a result", () => {
  it("is a table, bars, a list and JSON with the same numbers, kept in the address, and a CSV file", async () => {
    const { page } = await open(address(TOP));
    await run(page);
    const rows = page.getByRole("region", { name: /rows/ }).getByRole("row");
    const count = (await rows.count()) - 1;
    expect(count).toBeGreaterThan(3);
    const first = await rows.nth(1).getByRole("cell").nth(1).innerText();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "CSV" }).click(),
    ]);
    const lines = readFileSync(await file.path(), "utf-8")
      .trim()
      .split("\r\n");
    expect(lines[0]).toBe("timestamp,duration,app,title");
    expect(lines).toHaveLength(count + 1);

    await page.getByRole("radio", { name: "Chart" }).check({ force: true });
    await page.waitForURL(/as=chart/);
    expect(
      await page.getByRole("list", { name: "Time by app" }).getByRole("listitem").first().innerText(),
    ).toContain(first);
    await page.getByRole("radio", { name: "Timeline" }).check({ force: true });
    await page.getByTitle("Show on the timeline").first().waitFor();
    await page.getByRole("radio", { name: "JSON" }).check({ force: true });
    const json = await page.getByRole("region", { name: "The result as JSON" }).innerText();
    expect(JSON.parse(json)).toHaveLength(count);
    expect(await violations(page, "main")).toEqual([]);
    await page.reload();
    await ready(page);
    await run(page);
    await page.getByRole("region", { name: "The result as JSON" }).waitFor();
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByRole("columnheader", { name: "Events in" }).waitFor();
  });

  it("of more than 10,000 rows is cut, and says so", async () => {
    const { page } = await open(address('RETURN = query_bucket("aw-watcher-window_laptop");'));
    await run(page);
    await page.getByText(/Showing the first 10,000 of [\d,]+ rows/).waitFor();
    const table = page.getByRole("table");
    expect(await table.getAttribute("aria-rowcount")).toBe("10001");
    expect(await table.getByRole("row").count()).toBeLessThan(200);
    await page
      .getByRole("region", { name: /rows/ })
      .evaluate((region) => (region.scrollTop = region.scrollHeight));
    await page.locator("tr[aria-rowindex='10001']").waitFor();
  });

  it("stays, in gray, when the next run fails; a run can be canceled, which ends the query", async () => {
    const { page, tolerate } = await open(address(TOP));
    tolerate(/\b4\d\d\b|ERR_ABORTED/); // a query that fails, and one that is canceled
    await run(page);
    await editor(page).fill('RETURN = query_bucket("nothing");');
    await page.keyboard.press("Control+Enter");
    await page.locator("[data-stale]").waitFor();
    await page.getByRole("alert").filter({ hasText: "nothing" }).waitFor();
    expect(await page.locator("[data-stale]").getByRole("row").count()).toBeGreaterThan(3);

    // A pattern that tries every way to cut a title in pieces: it runs until its minute is over.
    await editor(page).fill(
      'RETURN = filter_keyvals_regex(query_bucket("aw-watcher-window_laptop"), "title", "(.+)+(?=@@@)");',
    );
    await page.keyboard.press("Control+Enter");
    await page.getByRole("button", { name: "Cancel" }).waitFor();
    const quick = server.post<{ results: unknown[] }>("/api/1/query", {
      query: "RETURN = 1;",
      timeperiods: ["2026-01-01T00:00:00Z/2026-01-02T00:00:00Z"],
    });
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Cancel" }).waitFor({ state: "detached" });
    expect((await quick).results).toEqual([1]);
  });
});

describe("queries that are kept", () => {
  it("are in the setting of the existing web UI, in its form, with what others put there", async () => {
    const theirs = { id: "old", name: "An old one", query_code: TOP, start_offset: 24, end_offset: 0 };
    await server.post("/api/0/settings/saved_queries", [theirs]);
    const { page } = await open(`${server.url}/#/query`);
    await page.getByRole("button", { name: "Saved", exact: true }).click();
    await page.getByRole("menuitemradio", { name: "An old one" }).click();
    await expect.poll(() => editor(page).inputValue()).toBe(TOP);
    await page.getByRole("button", { name: /An old one/ }).click();
    await page.getByRole("menuitem", { name: "Save as…" }).click();
    await page.getByLabel("Name").fill("My apps");
    await page.keyboard.press("Enter");
    await page.getByText("Saved “My apps”").waitFor();
    expect(await server.get("/api/0/settings/saved_queries")).toEqual([
      theirs,
      expect.objectContaining({
        id: "my-apps",
        name: "My apps",
        query_code: TOP,
        start_day_offset: 0,
        end_day_offset: -1,
      }),
    ]);
    await page.waitForURL(/saved=my-apps/);
    const other = await open(page.url());
    expect(await editor(other.page).inputValue()).toBe(TOP);
  });
});
