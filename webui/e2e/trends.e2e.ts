import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectNoOverflow, open, ready } from "./browser.ts";
import { ago, demoServer, Server } from "./server.ts";

interface Series {
  edges: string[];
  keys: string[][];
  values: number[][];
  total: number[];
}

const sum = (values: number[]) => values.reduce((all, each) => all + each, 0);

describe("Trends of a seeded month", () => {
  let server: Server;
  let page: Page;
  const series = (query: string) => server.get<Series>(`/api/1/series?tz=UTC&${query}`);
  // In the first days of a year most of the seeded days are in the one before.
  const today = new Date();
  const isEarly = today.getUTCMonth() === 0;
  const asked = isEarly ? `period=year&date=${today.getUTCFullYear() - 1}-12-31` : "period=year";
  const choosePeriod = (name: string) =>
    page.getByRole("radiogroup", { name: "Period" }).getByText(name, { exact: true }).click();
  const cell = (place: number) => page.locator("[role=grid]").first().locator(`[data-place="${place}"]`);
  const go = async (query: string) => {
    await page.goto(`${server.url}/#/trends?${query}`);
    await ready(page);
  };

  beforeAll(async () => {
    server = await demoServer();
  });
  beforeEach(async () => {
    ({ page } = await open(`${server.url}/#/trends`, { timezoneId: "UTC" }));
  });

  it("shows the running year, its sum, and a mean without the day in progress", async () => {
    expect(new URL(page.url()).hash).toBe("#/trends?period=year");
    const { edges, total } = await series("period=year&bin=day");
    const over = total.filter((each, place) => each > 0 && Date.parse(edges[place + 1] ?? "") <= Date.now());
    const figures = page.locator("[data-figure=average] time");
    // The seeded data ends now and the day goes on: a minute or two may have been added meanwhile.
    const seconds = async (place: number) =>
      Number((await figures.nth(place).getAttribute("datetime"))?.replace(/[PTS]/g, ""));
    expect(Math.abs((await seconds(0)) - sum(total))).toBeLessThan(120);
    if (over.length) expect(await seconds(1)).toBe(Math.round(sum(over) / over.length));
    expect(await page.getByRole("gridcell", { name: /in progress/ }).count()).toBe(1);
  });

  it("names every day with its date and its value, and the table has the same numbers", async () => {
    const grid = page.getByRole("grid", { name: /Active time per day/ });
    const names = await grid
      .getByRole("gridcell")
      .evaluateAll((cells) => cells.map((cell) => cell.getAttribute("aria-label") ?? ""));
    const past = names.filter((name) => !name.endsWith("in the future"));
    expect(past.every((name) => /^\w{3}, \w{3} \d+, \d{4}: .*(hour|minute|second)s?/.test(name))).toBe(true);
    await page.getByRole("button", { name: /Show “Days of .*” as a table/ }).click();
    const rows = page.getByRole("table", { name: /Active time per day/ }).locator("tbody tr");
    const read = await rows.evaluateAll((lines) =>
      lines.map((line) => {
        const day = line.querySelector("th")?.textContent?.trim().replace(", so far", "");
        return `${day}: ${line.querySelector("td .visually-hidden")?.textContent}`;
      }),
    );
    // Cells come by weekday, lines by date.
    expect(read.sort()).toEqual(past.map((name) => name.replace(", in progress", "")).sort());
    await page.goBack();
    await grid.waitFor();
  });

  it("walks over days with arrow keys, and Enter opens the day", async () => {
    await go(asked);
    const { edges, total } = await series(`${asked}&bin=day`);
    const last = total.findLastIndex((each) => each > 0);
    await cell(last).focus();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowLeft");
    const isFocused = () => cell(last - 8).evaluate((element) => element === document.activeElement);
    expect(await isFocused()).toBe(true);
    expect(await page.locator("[role=grid]").first().locator("[tabindex='0']").count()).toBe(1);
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toContain(`#/today?date=${edges[last - 8]?.slice(0, 10)}`);
  });

  it("makes a range of days with Shift and arrows, and of days that are dragged over", async () => {
    await go(asked);
    const { edges, total } = await series(`${asked}&bin=day`);
    const last = total.findLastIndex((each) => each > 0);
    const chosen = () => page.locator("[role=gridcell][aria-selected=true]").count();
    const range = () => {
      const params = new URLSearchParams(page.url().split("?")[1]);
      return [params.get("start"), params.get("end")];
    };
    const figure = page.locator("[data-figure=average] time").first();
    await cell(last - 9).focus();
    await page.keyboard.down("Shift");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.up("Shift");
    await expect.poll(range).toEqual([edges[last - 9], edges[last - 6]]);
    await expect.poll(chosen).toBe(3);
    const days = total.slice(last - 9, last - 6);
    await expect.poll(() => figure.getAttribute("datetime")).toBe(`PT${Math.round(sum(days))}S`);
    await cell(last - 14).hover();
    await page.mouse.down();
    await cell(last - 5).hover();
    await page.mouse.up();
    await expect.poll(range).toEqual([edges[last - 14], edges[last - 4]]);
    // Back is the range before, and a reload keeps it.
    await page.goBack();
    await expect.poll(range).toEqual([edges[last - 9], edges[last - 6]]);
    await page.reload();
    await ready(page);
    await expect.poll(chosen).toBe(3);
    await choosePeriod("Year");
    await expect.poll(chosen).toBe(0);
  });

  it("filters by a part of a bar, and keeps that with the measure and the bars in the address", async () => {
    await go("period=month&bin=week&bars=share&measure=Work&compare=previous");
    expect(await page.getByLabel("Measure").inputValue()).toBe("Work");
    expect(await page.getByLabel("Interval", { exact: true }).inputValue()).toBe("week");
    const part = page.getByRole("button", { name: /^Work, .* – .*: .*hours?.*%$/ }).first();
    await part.focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => decodeURIComponent(page.url())).toContain("filter=category:under:Work");
    await ready(page);
    const group = page.getByRole("group", { name: "Filters" });
    expect(await group.textContent()).toContain("category is or is under Work");
    await page.reload();
    await ready(page);
    expect(await page.getByRole("radio", { name: "Share" }).isChecked()).toBe(true);
    await page.goBack();
    await expect.poll(() => page.url()).not.toContain("filter=");
  });

  it("keeps the old numbers until the new ones are there", async () => {
    await go("period=month");
    const figure = page.locator("[data-figure=average] time").first();
    const before = await figure.textContent();
    let letThrough: () => void = () => undefined;
    const held = new Promise<void>((done) => (letThrough = done));
    await page.route("**/api/1/series?**", async (route) => {
      await held;
      await route.continue();
    });
    await choosePeriod("Week");
    await page.locator("main[data-ready=false]").waitFor();
    expect(await figure.textContent()).toBe(before);
    letThrough();
    await expect.poll(() => figure.textContent()).not.toBe(before);
    await page.unroute("**/api/1/series?**");
  });

  it("has bars whose table adds up to what the server says, also on a narrow screen", async () => {
    await page.setViewportSize({ width: 320, height: 700 });
    await go("period=month&table=bars&table=hours");
    await expectNoOverflow(page);
    const { total } = await series("period=month&bin=day&top=8");
    const sums = await page
      .getByRole("table", { name: /by category/ })
      .locator("tbody tr td:last-child time")
      .evaluateAll((times) =>
        times.map((time) => Number(time.getAttribute("datetime")?.replace(/[PTS]/g, ""))),
      );
    const running = total.findLastIndex((each) => each > 0);
    expect(sums.slice(0, running)).toEqual(total.slice(0, running).map(Math.round));
  });
});

describe("Trends of data that was made for it", () => {
  let server: Server;
  const event = (timestamp: string, hours: number, data: Record<string, string>) => ({
    timestamp,
    duration: hours * 3600,
    data,
  });

  beforeEach(async () => {
    server = await Server.startForTest({ data: "empty" });
  });

  it("says that a week is needed and shows what there is; names of apps are text, and no formulas in a file", async () => {
    await server.addBucket("window", {
      type: "currentwindow",
      events: [
        event(ago(9 * 60), 0.03, { app: "=cmd()", title: "<img src=x onerror=alert(1)>" }),
        event(ago(6 * 60), 0.03, { app: "Code", title: "main.py" }),
        event(ago(3 * 60), 0.03, { app: "<img src=x onerror=alert(1)>", title: "x" }),
      ],
    });
    const { page } = await open(`${server.url}/#/trends?by=app`);
    await page.getByText(/Trends need a week of data\. So far there (is|are)\s+\d\s+days?/).waitFor();
    await page.getByRole("button", { name: "<img src=x onerror=alert(1)>", exact: true }).waitFor();
    expect(await page.locator("main img").count()).toBe(0);
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download “Per week” as CSV" }).click();
    const file = readFileSync(await (await downloading).path(), "utf-8");
    expect(file.split("\r\n")[0]).toContain(",'=cmd() (h)");
    expect(file.split("\r\n")[0]).toContain("<img src=x onerror=alert(1)> (h)");
  });

  it("has days of 23 and 25 hours, in a zone that is not the browser's", async () => {
    await server.call("PATCH", "/api/1/settings", { time_zone: "Europe/Berlin", day_start: "00:00" });
    // From midnight to midnight by the clocks of Berlin, which were set on both days.
    await server.addBucket("window", {
      type: "currentwindow",
      events: [
        event("2025-03-29T23:00:00Z", 23, { app: "Code", title: "spring" }),
        event("2025-10-25T22:00:00Z", 25, { app: "Code", title: "autumn" }),
      ],
    });
    const { page } = await open(`${server.url}/#/trends?date=2025-06-01`, {
      timezoneId: "America/Los_Angeles",
    });
    await page.getByRole("gridcell", { name: "Sun, Mar 30, 2025: 23 hours", exact: true }).waitFor();
    await page.getByRole("gridcell", { name: "Sun, Oct 26, 2025: 25 hours", exact: true }).waitFor();
    // Sunday's hour from 2 to 3 was skipped in spring and came twice in autumn: 52 Sundays have 52 of them.
    const hours = page.getByRole("grid", { name: /per hour of the week/ });
    const name = await hours.getByRole("gridcell", { name: /^Sunday, 02:00 AM/ }).getAttribute("aria-label");
    expect(name).toContain("2 minutes 18 seconds on average");
  });
});
