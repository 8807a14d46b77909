import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { violations } from "./axe.ts";
import { expectNoOverflow, open, ready, undoByMessage, type Watched } from "./browser.ts";
import { ago, Server, uniqueName } from "./server.ts";

interface Answer {
  total: number;
  events: number;
  suggestion: string | null;
  hits: {
    bucket: string;
    data: Record<string, string>;
    event: { id: number; timestamp: string; duration: number };
  }[];
}

const IMAGE = "<img src=x onerror=document.title='run'> trap";

let server: Server;
let page: Page;
let tolerate: Watched["tolerate"];
beforeAll(async () => {
  server = await Server.start({});
  await server.post("/api/0/buckets/aw-watcher-web-test", {
    type: "web.tab.current",
    client: "test",
    hostname: "laptop",
  });
  await server.post("/api/0/buckets/aw-watcher-web-test/events", [
    { timestamp: ago(0), duration: 30, data: { title: IMAGE, url: "javascript:alert(1)" } },
    {
      timestamp: ago(86_400),
      duration: 30,
      data: { title: "Xylophone for beginners", url: "https://music.example.org/" },
    },
  ]);
});
afterAll(() => server.stop());
beforeEach(async () => {
  ({ page, tolerate } = await open(`${server.url}/#/search`, { timezoneId: "UTC" }));
});

function ask(q: string, more = ""): Promise<Answer> {
  return server.get<Answer>(`/api/1/search?q=${encodeURIComponent(q)}&group=thing&tz=UTC${more}`);
}

const box = () => page.getByRole("combobox", { name: /Search all events/ });

/** Type a query, and wait for its answer. */
async function search(q: string): Promise<number> {
  await box().fill(q);
  await expect.poll(() => new URLSearchParams(page.url().split("?")[1]).get("q")).toBe(q);
  await ready(page);
  const { total } = await ask(q);
  await expect.poll(() => page.locator("[data-total]").getAttribute("data-total")).toBe(String(total));
  return total;
}

function toast(text: string | RegExp) {
  return page.getByRole("status").filter({ hasText: text }).last();
}

it("finds what the server finds: words, phrases, minus, operators and dates", async () => {
  const all = await search("mozilla");
  expect(all).toBeGreaterThan(10);
  expect(await search("mozilla -board")).toBeLessThan(all);
  expect(await search('"board mozilla"')).toBeLessThan(all);
  expect(await search("app:firefox dur>2m")).toBeGreaterThan(0);
  expect(await search("mozilla after:yesterday")).toBeLessThan(all);
  expect(await search("category:Work type:currentwindow board")).toBeGreaterThan(0);
  tolerate(/\b4\d\d\b/); // it cannot be read, and the server says so
  await box().fill("mozilla dur>2x");
  await page.getByText(/is not a duration/).waitFor();
});

it("operators and their values are completed with the arrow down", async () => {
  await box().fill("rust dev");
  await page.keyboard.press("ArrowDown");
  await page.getByRole("option", { name: /^device:/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("option", { name: /laptop/ }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  expect(await box().inputValue()).toMatch(/^rust device:\w+ $/);
});

it("a hit opens the timeline with its event in the middle, by j, k and Enter", async () => {
  await search("board");
  const hit = (await ask("board")).hits[1];
  if (!hit) throw new Error("no second hit");
  await page.locator("[data-hit='0']").focus();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("data-hit"))).toBe("1");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.url()).toContain("#/timeline");
  const params = new URLSearchParams(page.url().split("?")[1]);
  const middle = (Date.parse(params.get("start") ?? "") + Date.parse(params.get("end") ?? "")) / 2;
  expect(Math.abs(middle - Date.parse(hit.event.timestamp) - hit.event.duration * 500)).toBeLessThan(5);
  expect(params.get("event")).toBe(`${hit.event.id}@${hit.bucket}`);
  await page.goBack();
  await ready(page);
  expect(await box().inputValue()).toBe("board");
});

it("a bar narrows to its time, and back, reload and the address restore the view", async () => {
  const all = await search("mozilla");
  await page.locator("[data-hit='0']").waitFor();
  await page
    .getByRole("button", { name: /: .*, [1-9]\d* events$/ })
    .first()
    .click();
  await expect.poll(() => page.url()).toContain("start=");
  await expect
    .poll(async () => Number(await page.locator("[data-total]").getAttribute("data-total")))
    .toBeLessThan(all);
  const narrowed = await page.locator("[data-total]").getAttribute("data-total");
  await page.reload();
  await ready(page);
  expect(await page.locator("[data-total]").getAttribute("data-total")).toBe(narrowed);
  await page.goBack();
  await expect.poll(() => page.locator("[data-total]").getAttribute("data-total")).toBe(String(all));
});

it("why a hit has its category is what the server explains", async () => {
  await page.goto(`${server.url}/#/search?q=mozilla&group=none&sort=count`);
  await ready(page);
  const { hits } = await server.get<Answer>("/api/1/search?q=mozilla&group=none&sort=count&limit=50");
  const asked = [0, 2, 5];
  for (const place of asked) {
    const hit = hits[place];
    const why = await server.post<{ category: string[]; winner: { pattern: string } | null }>(
      "/api/1/categories/explain",
      { bucket: hit?.bucket, id: hit?.event.id },
    );
    const row = page.getByRole("listitem").filter({ has: page.locator(`[data-hit='${place}']`) });
    await row.getByRole("button", { name: /^Why/ }).click();
    const popover = page.locator("[data-popover-content]").or(page.getByRole("dialog", { name: /^Why/ }));
    await expect
      .poll(async () => (await popover.textContent())?.replaceAll(" › ", "/"))
      .toContain(why.category.join("/").replace("Uncategorized", "Uncategorized"));
    if (why.winner) expect(await popover.textContent()).toContain(why.winner.pattern);
    await page.keyboard.press("Escape");
    await popover.waitFor({ state: "hidden" });
  }
});

it("hits that are selected are deleted with a count before and a way back, and make rules", async () => {
  await page.goto(`${server.url}/#/search?q=board&sort=time`);
  await ready(page);
  const before = await ask("board", "&sort=time");
  const first = await ask("board", "&sort=time&limit=1");
  await page.getByRole("checkbox").first().check();
  await page.getByRole("button", { name: "Categorize…" }).click();
  await page
    .getByRole("checkbox", { name: /app is|domain is/, checked: true })
    .first()
    .waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Delete…" }).click();
  const count = Number(await page.locator("[data-count]").getAttribute("data-count"));
  expect(count).toBe((first.hits[0] as unknown as { count: number }).count);
  expect(await violations(page, "dialog[open]")).toEqual([]);
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await toast(`Deleted ${count}`).waitFor();
  expect((await ask("board")).events).toBe(before.events - count);
  await undoByMessage(page, `Deleted ${count}`);
  expect((await ask("board")).events).toBe(before.events);
});

it("without a hit it offers what could be left out, and a spelling that there is", async () => {
  await search("xylophone domain:nowhere-at-all");
  await page.getByRole("button", { name: "Without domain:nowhere-at-all" }).click();
  await expect.poll(() => box().inputValue()).toBe("xylophone");
  // Spellings come from the index, which takes in what is new a little later.
  await expect.poll(async () => (await ask("xylofone")).suggestion).toBe("xylophone");
  await search("xylofone");
  await page.getByRole("button", { name: "Search for “xylophone”" }).click();
  await expect.poll(() => box().inputValue()).toBe("xylophone");
});

it("a search is kept under a name", async () => {
  const name = uniqueName("Boards");
  await search("board dur>1m");
  await page.getByRole("button", { name: /^Saved/ }).click();
  await page.getByRole("menuitem", { name: "Save this search…" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await toast(/^Search .* saved/).waitFor();
  await page.goto(`${server.url}/#/search`);
  await page.getByRole("button", { name: /^Saved/ }).click();
  await page.getByRole("menuitem", { name }).click();
  await expect.poll(() => box().inputValue()).toBe("board dur>1m");
});

it("titles and addresses are text, whatever they look like, and fit a narrow screen", async () => {
  await search("trap");
  await page.getByText(IMAGE.replace(" trap", "")).first().waitFor();
  expect(await page.locator("main img").count()).toBe(0);
  expect(await page.locator("a[href^='javascript:']").count()).toBe(0);
  expect(await page.title()).toContain("Search");
  await page.setViewportSize({ width: 320, height: 700 });
  await expectNoOverflow(page);
});
