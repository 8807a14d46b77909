// One number per label: pages, the API and commands agree.
import { execFileSync } from "node:child_process";
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { violations } from "./axe.ts";
import { open, ready, undoByMessage } from "./browser.ts";
import { demoServer, type Server } from "./server.ts";
import { environment, PYTHON } from "./process.ts";

interface Branch {
  key: string[];
  seconds: number;
  own: number;
}
interface Summary {
  totals: { active: number; unfiltered: number };
  tree: Branch[];
  lists: Record<string, { key: string | string[]; seconds: number }[]>;
  range: { start: string; end: string };
}

let server: Server;
let page: Page;
/** A week that is over, another one in each run of the tests. */
let monday: string;

beforeAll(async () => {
  server = await demoServer();
  const now = Date.now();
  const weeks = 1 + (Math.floor(now / 60_000) % 3);
  const day = new Date(now - weeks * 7 * 86_400_000);
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  monday = day.toISOString().slice(0, 10);
});
beforeEach(async () => {
  ({ page } = await open(`${server.url}/#/today?period=week&date=${monday}`, { timezoneId: "UTC" }));
});

const week = (more: string) =>
  server.get<Summary>(`/api/1/summary?period=week&date=${monday}&tz=UTC&limit=1000&${more}`);

/** The durations of a list on the page in seconds, by name: those for machines are exact to the second. */
async function shown(list: string): Promise<Record<string, number>> {
  const rows = await page
    .getByRole("list", { name: list, exact: true })
    .getByRole("listitem")
    .evaluateAll((items) =>
      items.map((item) => [
        item.querySelector("[title]:not(button)")?.textContent ?? "",
        Number(/\d+/.exec(item.querySelector("time")?.getAttribute("datetime") ?? "")?.[0]),
      ]),
    );
  return Object.fromEntries(rows) as Record<string, number>;
}

const rounded = (rows: readonly (readonly [string, number])[]) =>
  Object.fromEntries(rows.map(([name, seconds]) => [name, Math.round(seconds)]));

it("the number of every label is the same on all pages, in the API and in commands, for a random week", async () => {
  const { tree, totals } = await week("by=category");
  const tops = tree.filter(({ key }) => key.length === 1);
  expect(tops.reduce((sum, { seconds }) => sum + seconds, 0)).toBeCloseTo(totals.active, 3);
  const expected = rounded(tops.map(({ key, seconds }) => [key[0] ?? "", seconds] as const));

  // Today: a parent has everything below it.
  expect(await shown("Categories")).toMatchObject(
    rounded(tops.slice(0, 8).map(({ key, seconds }) => [key[0] ?? "", seconds] as const)),
  );
  // The API, rolled up and filtered.
  const { lists } = await week("by=category&depth=1");
  expect(
    rounded((lists.category ?? []).map(({ key, seconds }) => [String(key[0]), seconds] as const)),
  ).toEqual(expected);
  for (const { key, seconds } of tree) {
    const filter = encodeURIComponent(`category:under:${key.join("/")}`);
    const filtered = await week(`by=app&filter=${filter}`);
    expect([key, filtered.totals.active]).toEqual([key, expect.closeTo(seconds, 3)]);
    expect(filtered.totals.unfiltered).toBeCloseTo(totals.active, 3);
  }
  // Series, timesheet, search and goals.
  const series = await server.get<{ keys: string[][]; values: number[][] }>(
    `/api/1/series?period=week&date=${monday}&tz=UTC&bin=day&by=category&depth=1&top=100`,
  );
  expect(
    rounded(
      series.keys.map(
        (key, row) =>
          [key[0] ?? "", (series.values[row] ?? []).reduce((sum, each) => sum + each, 0)] as const,
      ),
    ),
  ).toEqual(expected);
  const sheet = await server.get<{ columns: { name: string; seconds: number }[] }>(
    `/api/1/reports/timesheet?period=week&date=${monday}&tz=UTC&by=category&depth=1`,
  );
  expect(rounded(sheet.columns.map(({ name, seconds }) => [name, seconds] as const))).toEqual(expected);
  for (const { key, seconds } of tops) {
    if (key[0] === "Uncategorized") continue;
    const query = encodeURIComponent(`category:"${key[0]}"`);
    const found = await server.get<{ seconds: number }>(
      `/api/1/search?period=week&date=${monday}&tz=UTC&group=thing&q=${query}`,
    );
    expect([key, found.seconds]).toEqual([key, expect.closeTo(seconds, 3)]);
  }
  const titles = await week("by=title");
  const [title] = titles.lists.title ?? [];
  const search = await server.get<{ hits: { key: string; seconds: number }[] }>(
    `/api/1/search?period=week&date=${monday}&tz=UTC&group=thing&limit=500&sort=time&q=type:currentwindow`,
  );
  expect(search.hits.find(({ key }) => key === title?.key)?.seconds).toBeCloseTo(title?.seconds ?? 0, 3);
  // Trends and reports show the same.
  await page.goto(`${server.url}/#/trends?period=week&date=${monday}&table=bars`);
  await ready(page);
  const bars = page.getByRole("table", { name: /by category/ });
  const heads = await bars.locator("thead th").allTextContents();
  const perDay = await bars
    .locator("tbody tr")
    .evaluateAll((rows) =>
      rows.map((row) =>
        [...row.querySelectorAll("time")].map((time) => Number(/\d+/.exec(time.dateTime)?.[0])),
      ),
    );
  heads.slice(1).forEach((name, place) => {
    const seconds = perDay.reduce((sum, row) => sum + (row[place] ?? 0), 0);
    const whole = name.trim() === "Total" ? totals.active : expected[name.trim()];
    // Each day is rounded to seconds.
    expect([name, Math.abs(seconds - (whole ?? NaN))]).toEqual([name, expect.toSatisfy((by) => by <= 4)]);
  });
  // Each other page has the same rows.
  await page.goto(`${server.url}/#/review?date=${monday}`);
  await ready(page);
  const went = page.getByRole("region", { name: "Where the time went" }).locator("tr");
  const review = await went.evaluateAll((rows) =>
    rows.map((row) => [
      row.querySelector("th")?.textContent?.trim() ?? "",
      Number(/\d+/.exec(row.querySelector("time")?.dateTime ?? "")?.[0]),
    ]),
  );
  expect(review.length).toBe(Math.min(6, tops.length));
  expect(expected).toMatchObject(Object.fromEntries(review) as Record<string, number>);
  const inHours = (seconds: number) => (seconds / 3600).toFixed(2);
  await page.goto(`${server.url}/#/reports?period=week&date=${monday}`);
  await ready(page);
  const names = await page.locator("article thead th").allTextContents();
  const hours = await page.locator("article tfoot tr").first().locator("th, td").allTextContents();
  const report = Object.fromEntries(names.map((name, place) => [name.trim(), hours[place]?.trim()]));
  expect(report).toMatchObject(
    Object.fromEntries(tops.map(({ key, seconds }) => [key[0] ?? "", inHours(seconds)])),
  );
  expect(report["Total"]).toBe(inHours(totals.active));
  const end = new Date(Date.parse(monday) + 7 * 86_400_000).toISOString().slice(0, 10);
  const span = new URLSearchParams({ selection: `${monday}T00:00:00Z/${end}T00:00:00Z` });
  await page.goto(`${server.url}/#/timeline?period=week&date=${monday}&${span}`);
  await ready(page);
  const selection = page.getByRole("region", { name: "Selection" });
  await expect.poll(() => selection.getAttribute("data-active")).toBe(String(totals.active));
  const selected = await selection
    .getByRole("list", { name: "Categories" })
    .getByRole("listitem")
    .evaluateAll((items) =>
      items.map((item) => [
        item.querySelector(".truncate")?.textContent?.trim() ?? "",
        Number(/\d+/.exec(item.querySelector("time")?.dateTime ?? "")?.[0]),
      ]),
    );
  expect(selected.length).toBe(Math.min(6, tops.length));
  expect(expected).toMatchObject(Object.fromEntries(selected) as Record<string, number>);
  // The commands.
  const command = (...words: string[]) =>
    JSON.parse(
      execFileSync(PYTHON, ["-m", "dayline", ...words, "--database", server.database], {
        env: { ...environment(server.folder), TZ: "UTC" },
        encoding: "utf-8",
      }),
    ) as Summary & { summary: Summary; columns: { name: string; seconds: number }[] };
  const sunday = new Date(Date.parse(monday) + 6 * 86_400_000).toISOString().slice(0, 10);
  const top = command(
    ...["top", "--by", "category", "--depth", "1", "--json", "--limit", "1000"],
    ...["--from", monday, "--to", sunday],
  );
  expect(
    rounded((top.lists.category ?? []).map(({ key, seconds }) => [String(key[0]), seconds] as const)),
  ).toEqual(expected);
  const { columns } = command("report", "--from", monday, "--to", sunday, "--depth", "1", "--format", "json");
  expect(rounded(columns.map(({ name, seconds }) => [name, seconds] as const))).toEqual(expected);
  const { summary: day } = command("today", "--date", monday, "--json");
  const asked = await server.get<Summary>(
    `/api/1/summary?period=day&date=${monday}&tz=UTC&by=category&limit=1000`,
  );
  expect(day.totals.active).toBeCloseTo(asked.totals.active, 3);
  const own = new Map((asked.lists.category ?? []).map(({ key, seconds }) => [String(key), seconds]));
  for (const { key, seconds } of day.lists.category ?? [])
    expect([key, seconds]).toEqual([key, expect.closeTo(own.get(String(key)) ?? NaN, 3)]);
});

it("a parent opens to its children and itself, and a click filters by everything below it", async () => {
  const { tree } = await week("by=category");
  const parent = tree.find(({ key, seconds, own }) => key.length === 1 && own < seconds);
  const name = parent?.key[0] ?? "";
  const child = tree.find(({ key }) => key.length === 2 && key[0] === name);
  await page.getByRole("button", { name: `Categories below ${name}` }).click();
  expect((await shown("Categories"))[child?.key[1] ?? ""]).toBe(Math.round(child?.seconds ?? 0));
  expect(await violations(page)).toEqual([]);
  await page
    .getByRole("list", { name: "Categories", exact: true })
    .getByRole("button", { name: new RegExp(`^${name} \\d`) })
    .click();
  await ready(page);
  expect(new URLSearchParams(page.url().split("?")[1]).getAll("filter")).toEqual([`category:under:${name}`]);
  // What is not about the filtered time is hidden, and the share of the whole is shown.
  expect(await page.locator("[data-figure='away']").count()).toBe(0);
  await expect.poll(() => page.locator("[data-figure='share']").textContent()).toMatch(/\d+ % of/);
});

it("all categories by themselves add up, and the choice is kept on other pages", async () => {
  await page.getByRole("radio", { name: "All", exact: true }).check({ force: true });
  const { tree } = await week("by=category");
  const own = tree.filter((branch) => branch.own > 0).sort((one, other) => other.own - one.own);
  const rows = Object.values(await shown("Categories"));
  expect(rows).toEqual(own.slice(0, rows.length).map((branch) => Math.round(branch.own)));
  await page.goto(`${server.url}/#/reports?period=week&date=${monday}`);
  await ready(page);
  expect(await page.getByRole("radio", { name: "All", exact: true }).isChecked()).toBe(true);
  await page.reload();
  await ready(page);
  expect(await page.getByRole("radio", { name: "All", exact: true }).isChecked()).toBe(true);
});

it("a week is named by its days, and comparisons name their dates", async () => {
  const last = new Date(Date.parse(monday) + 6 * 86_400_000).getUTCDate();
  const first = new Date(monday).getUTCDate();
  await page.goto(`${server.url}/#/today?period=week&date=${monday}&compare=previous`);
  await ready(page);
  const button = page.locator("[data-bar=context] [aria-haspopup=dialog]").first();
  expect(await button.textContent()).toMatch(new RegExp(`${first}.*–.*${last}`));
  expect(await page.getByText(/Week of/).count()).toBe(0);
  const before = new Date(Date.parse(monday) - 7 * 86_400_000).getUTCDate();
  await page
    .getByText(new RegExp(`vs .*\\b${before}\\b.*–`))
    .first()
    .waitFor();
});

it("an app is excluded in three clicks, without a pattern, with one undo", async () => {
  const own = await server.addBucket("aw-watcher-window_never", {
    type: "currentwindow",
    events: [
      { timestamp: `${monday}T10:00:00Z`, duration: 600, data: { app: "Signal (never)", title: "chat" } },
      { timestamp: `${monday}T10:10:00Z`, duration: 60, data: { app: "Notes (never)", title: "notes" } },
    ],
  });
  await page.goto(`${server.url}/#/today?date=${monday}&device=${own}`);
  await ready(page);
  const row = page
    .getByRole("list", { name: "Apps" })
    .getByRole("listitem")
    .filter({ hasText: "Signal (never)" });
  await row.getByRole("button", { name: /More actions/ }).focus(); // shows it
  await row.getByRole("button", { name: /More actions/ }).click();
  await page.getByRole("menuitem", { name: "Never record…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Also delete 1 past event (10m)").waitFor();
  expect(await violations(page, "dialog[open]")).toEqual([]);
  await dialog.getByRole("checkbox").check();
  await dialog.getByRole("button", { name: "Never record" }).click();
  await page.getByRole("status").getByText("Signal (never) is no longer recorded").waitFor();
  const events = () => server.get<{ data: { app: string } }[]>(`/api/0/buckets/${own}/events`);
  expect((await events()).map(({ data }) => data.app)).toEqual(["Notes (never)"]);
  await server.post(`/api/0/buckets/${own}/events`, [
    { timestamp: `${monday}T11:00:00Z`, duration: 5, data: { app: "signal (never)", title: "new" } },
  ]);
  expect(await events()).toHaveLength(1);
  await undoByMessage(page, "Signal (never) is no longer recorded");
  expect((await events()).map(({ data }) => data.app)).toEqual(["Notes (never)", "Signal (never)"]);
  expect((await server.get<{ rules: unknown[] }>("/api/1/privacy/rules")).rules).toEqual([]);
});
