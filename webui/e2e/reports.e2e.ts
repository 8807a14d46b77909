import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { violations } from "./axe.ts";
import { expectNoOverflow, open, openBrowser, ready, undoByMessage } from "./browser.ts";
import { ago, demoServer, type Server, uniqueName } from "./server.ts";

interface Sheet {
  columns: { name: string; seconds: number; rounded: number }[];
  days: { date: string; rounded: number }[];
  totals: { seconds: number; rounded: number; amount?: number; breaks: { seconds: number } };
}

const hours = (seconds: number) => (seconds / 3600).toFixed(2);

/** The cells of the sheet, line by line. */
async function cells(page: Page): Promise<string[][]> {
  return page
    .getByRole("article", { name: "Preview" })
    .locator("tr")
    .evaluateAll((lines) =>
      lines.map((line) =>
        [...line.children].map((cell) => (cell.textContent ?? "").replaceAll("\u200b", "").trim()),
      ),
    );
}

async function saved(page: Page, name: string): Promise<string> {
  const downloading = page.waitForEvent("download");
  await page.getByRole("link", { name, exact: true }).click();
  return (await downloading).path();
}

describe("Reports", () => {
  let server: Server;
  let page: Page;
  const ASKED =
    "period=month&filter=category:is:Work/Code&filter=category:is:Work/Research&round=nearest&to=15m&rate=80&currency=EUR";
  const go = async (query: string) => {
    await page.goto(`${server.url}/#/reports?${query}`);
    await ready(page);
  };

  beforeAll(async () => {
    server = await demoServer();
    await server.call("PATCH", "/api/1/settings", { time_zone: "Europe/Berlin" });
  });
  afterAll(() => server.call("PATCH", "/api/1/settings", { time_zone: null }));
  beforeEach(async () => {
    ({ page } = await open(`${server.url}/#/reports`, { timezoneId: "America/Los_Angeles" }));
  });

  it("shows the running month, and a sheet whose cells and both sums are the server's", async () => {
    expect(new URL(page.url()).hash).toBe("#/reports?period=month");
    await go(ASKED);
    const sheet = await server.get<Sheet>(`/api/1/reports/timesheet?${ASKED}&tz=Europe/Berlin&depth=1`);
    const lines = await cells(page);
    expect(lines[0]?.slice(4, 4 + sheet.columns.length)).toEqual(sheet.columns.map(({ name }) => name));
    expect(lines).toHaveLength(1 + sheet.days.length + 1);
    expect(lines.at(-1)).toEqual([
      "Total",
      "",
      "",
      hours(sheet.totals.breaks.seconds),
      ...sheet.columns.map(({ rounded }) => hours(rounded)),
      hours(sheet.totals.rounded),
      hours(sheet.totals.seconds),
      (sheet.totals.amount ?? 0).toLocaleString("en", { minimumFractionDigits: 2 }),
    ]);
    await page.getByText("Times are rounded to the nearest 15 minutes").waitFor();
  });

  it("has a CSV file that reads like the table, and an HTML file that stands alone", async () => {
    await go(ASKED);
    const table = await cells(page);
    const csv = readFileSync(await saved(page, "CSV"), "utf-8")
      .trim()
      .split("\r\n");
    const parsed = csv.map((line) => line.split(","));
    expect(parsed).toHaveLength(table.length);
    expect(parsed[0]).toEqual(table[0]);
    const column = parsed[0]?.indexOf("Work") ?? -1;
    expect(column).toBeGreaterThan(0);
    expect(parsed.slice(1).map((line) => Number(line[column]))).toEqual(
      table.slice(1).map((line) => Number(line[column])),
    );
    const file = join(server.folder, "sheet.html");
    copyFileSync(await saved(page, "HTML"), file);
    const context = await (await openBrowser()).newContext();
    const alone = await context.newPage();
    await alone.goto(pathToFileURL(file).href);
    expect(await alone.locator("thead th").allTextContents()).toEqual(table[0]);
    const total = await alone.locator("tfoot tr").first().textContent();
    expect(total).toContain(table.at(-1)?.at(-3));
    await context.close();
  });

  it("with many categories is a list for each day, and is called so", async () => {
    await go("period=month");
    await page.getByRole("radio", { name: "All", exact: true }).first().check({ force: true });
    await ready(page);
    const sheet = await server.get<{ is_listed: boolean }>(
      "/api/1/reports/timesheet?period=month&tz=Europe/Berlin",
    );
    expect(sheet.is_listed).toBe(true);
    await page.getByRole("radio", { name: "A list for each day" }).waitFor({ state: "attached" });
    expect(await page.getByRole("radio", { name: "One row per day" }).count()).toBe(0);
  });

  it("has its files in the language of the page", async () => {
    ({ page } = await open(`${server.url}/#/reports?period=month&round=up`, { locale: "de-DE" }));
    const head = readFileSync(await saved(page, "CSV"), "utf-8").split("\r\n")[0] ?? "";
    expect(head).toMatch(/^Datum,Erste,Letzte,Pausen,.*Ohne Kategorie.*,Summe,Ungerundet/);
    const html = readFileSync(await saved(page, "HTML"), "utf-8");
    expect(html).toContain('<html lang="de">');
    expect(html).toContain("aufgerundet");
    expect(html).not.toContain("Uncategorized");
    // The rule below the sheet was in English.
    await page.getByText(/^Zeitzone: .* aufgerundet/).waitFor();
  });

  it("leads from a cell to the timeline of that day and category, and back to the same sheet", async () => {
    await go(ASKED);
    const sheet = page.getByRole("article", { name: "Preview" });
    const before = await cells(page);
    const link = sheet.locator("tbody tr").first().locator("td a").first();
    const href = decodeURIComponent((await link.getAttribute("href")) ?? "");
    expect(href).toMatch(/^#\/timeline\?date=\d{4}-\d{2}-\d{2}(&filter=category:is:Work\/\w+)+$/);
    await link.click();
    await page.locator("main[data-page=timeline]").waitFor();
    await page.goBack();
    await page.locator("main[data-page=reports]").waitFor();
    await ready(page);
    expect(await cells(page)).toEqual(before);
    expect(await page.getByLabel("Hourly rate").inputValue()).toBe("80");
  });

  it("keeps what is chosen in the address, and reports under a name, which can be undone", async () => {
    await go("period=month&filter=category:under:Work");
    await page.getByLabel("Rounding").selectOption("up");
    await page.getByLabel("Step").selectOption("30m");
    await page.getByRole("radiogroup", { name: "Layout" }).getByText("by day").click();
    await expect.poll(() => page.url()).toContain("round=up&to=30m&lines=keys");
    const round = page.getByRole("radiogroup", { name: "Round", exact: true });
    expect(await round.getByRole("radio", { name: "Day total" }).isChecked()).toBe(true);
    await round.getByText("Each entry").click();
    await page.getByText(/^Rounding each entry adds [\d.]+ h: [\d.]+ h → [\d.]+ h\.$/).waitFor();
    await round.getByText("Day total").click();
    await page.getByRole("combobox", { name: "Period" }).selectOption("last-month");
    await page.getByRole("button", { name: "Save as…" }).click();
    expect(await violations(page, "dialog[open]")).toEqual([]);
    const name = uniqueName("Invoice");
    const kept = async () => {
      const reports = await server.get<{ name: string; parameters: object }[]>("/api/1/reports");
      return reports.find((report) => report.name === name)?.parameters;
    };
    await page.getByLabel("Name").fill(name);
    await page.keyboard.press("Enter");
    await page.getByText(`Report “${name}” saved`).waitFor();
    const parameters = {
      filter: ["category:under:Work"],
      period: "last-month",
      round: "up",
      to: "30m",
    };
    await expect.poll(kept).toEqual(parameters);
    await go("period=week");
    await page.getByRole("combobox", { name: "Report", exact: true }).selectOption(name);
    await expect
      .poll(() => {
        const params = new URLSearchParams(page.url().split("?")[1]);
        return [params.get("period"), params.get("filter"), params.get("report")];
      })
      .toEqual(["month", "category:under:Work", name]);
    expect(await page.getByLabel("Rounding").inputValue()).toBe("up");
    await page.getByRole("button", { name: `Delete report “${name}”` }).click();
    await expect.poll(kept).toBeUndefined();
    await undoByMessage(page, `Report “${name}” deleted`);
    await expect.poll(kept).toEqual(parameters);
  });

  it("shows the notes of a day without scrolling at 1440 pixels, with every column that there may be", async () => {
    const day = new Date().toISOString().slice(0, 10);
    const note = await server.call<{ id: number }>("POST", "/api/1/annotations", {
      kind: "entry",
      label: "Workshop with the whole team",
      category: ["Work"],
      start: `${day}T00:10:00Z`,
      end: `${day}T00:40:00Z`,
    });
    await page.setViewportSize({ width: 1440, height: 900 });
    await go("period=month&round=up&rate=80&currency=EUR");
    const notes = page.getByRole("columnheader", { name: "Notes" });
    const [cell, region] = await Promise.all([
      notes.boundingBox(),
      page.getByRole("region", { name: "Timesheet" }).boundingBox(),
    ]);
    await server.call("DELETE", `/api/1/annotations/${note.id}`);
    expect((cell?.x ?? 9999) + (cell?.width ?? 0)).toBeLessThanOrEqual(
      (region?.x ?? 0) + (region?.width ?? 0) + 1,
    );
  });

  it("prints a clean page: no rail, no controls, white, with a header on every sheet of paper", async () => {
    await go(ASKED);
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect(await page.getByRole("navigation").count()).toBe(0);
    expect(await page.getByLabel("Rounding").isVisible()).toBe(false);
    expect(await page.getByRole("link", { name: "CSV" }).isVisible()).toBe(false);
    const sheet = page.getByRole("article", { name: "Preview" });
    const style = (selector: string, name: string) =>
      sheet
        .locator(selector)
        .first()
        .evaluate((each, key) => getComputedStyle(each).getPropertyValue(key), name);
    expect(await style("thead", "display")).toBe("table-header-group");
    expect(await style("tfoot", "display")).toBe("table-row-group");
    expect(await style("tbody tr", "break-inside")).toBe("avoid");
    expect(await style("h2", "color")).toBe("rgb(23, 27, 34)"); // ink, whatever the theme
  });

  it("says which filter removed everything", async () => {
    await go("period=month&filter=app:is:Nowhere&filter=category:under:Work");
    await page.getByText("The filter “app is Nowhere” removes everything").waitFor();
    await page.getByRole("button", { name: /Without “app is Nowhere”/ }).click();
    await page.getByRole("article", { name: "Preview" }).waitFor();
    await page.setViewportSize({ width: 320, height: 640 });
    await expectNoOverflow(page);
    expect(await violations(page, "main")).toEqual([]);
  });

  it("shows a title as text that is markup or a formula, and so do its files", async () => {
    const [image, formula] = ["<img src=x onerror=alert(1)>", '=HYPERLINK("http://x","y")'];
    const event = (minutesAgo: number, title: string) => ({
      timestamp: ago(minutesAgo * 60),
      duration: 600,
      data: { app: "Firefox", title },
    });
    const events = [event(60, image), event(30, formula)];
    const device = await server.addBucket("strange", { type: "currentwindow", events });
    await go(`period=last-30-days&by=title&device=${device}`);
    const heads = (await cells(page))[0] ?? [];
    expect(heads).toContain(image);
    expect(heads).toContain(formula);
    expect(await page.locator("article img").count()).toBe(0);
    const csv = readFileSync(await saved(page, "CSV"), "utf-8");
    expect(csv).toContain(`"'=HYPERLINK(""http://x"",""y"")"`);
    const html = readFileSync(await saved(page, "HTML"), "utf-8");
    expect(html).toContain("&lt;img src=x onerror=alert(1)&gt;");
    expect(html).not.toContain("<img");
  });
});
