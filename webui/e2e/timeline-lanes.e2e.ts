// What the lanes show while one moves over them, and what is written on and beside them.
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { violations } from "./axe.ts";
import { open, ready } from "./browser.ts";
import { demoServer, type Server } from "./server.ts";

let server: Server;
/** A day of the demo data on which the laptop was used, and which is over. */
let day: string;
beforeAll(async () => {
  server = await demoServer();
  const { buckets } = await server.get<{ buckets: { id: string; last: string }[] }>("/api/1/buckets");
  const last = buckets.find(({ id }) => id === "aw-watcher-window_laptop")?.last ?? "";
  const from = new Date(Date.parse(last) - 7 * 86_400_000).toISOString().slice(0, 10);
  const series = await server.get<{ edges: string[]; total: number[] }>(
    `/api/1/series?start=${from}T00:00:00Z&end=${last.slice(0, 10)}T00:00:00Z&bin=day&by=category&device=laptop&tz=UTC`,
  );
  const busiest = series.total.indexOf(Math.max(...series.total));
  day = series.edges[busiest]?.slice(0, 10) ?? "";
});

const lanes = (page: Page) => page.getByRole("group", { name: "Lanes", exact: true });
const settled = (page: Page) => page.locator("[data-settled=true]").waitFor();
const from = (start: string, end: string) =>
  `${server.url}/#/timeline?start=${day}T${start}:00Z&end=${day}T${end}:00Z`;

/** Starts to record the fewest spans that were drawn at any time; the function returns that number. */
async function watchSpans(page: Page): Promise<() => Promise<number>> {
  await lanes(page).evaluate((element) => {
    const record = element as HTMLElement & { fewest?: number };
    record.fewest = Number(element.getAttribute("data-spans"));
    new MutationObserver(() => {
      record.fewest = Math.min(record.fewest ?? 0, Number(element.getAttribute("data-spans")));
    }).observe(element, { attributeFilter: ["data-spans"] });
  });
  return () => lanes(page).evaluate((element) => (element as HTMLElement & { fewest: number }).fewest);
}

/** The requests to the API that the page makes from now on; Chromium requests the icon with every new address. */
function watchRequests(page: Page): string[] {
  const requests: string[] = [];
  page.on("request", (request) => {
    if (/\/api\/[01]\//.test(request.url())) requests.push(request.url());
  });
  return requests;
}

describe("moving over the lanes", () => {
  it("makes no request and never clears a span while the tiles are loaded", async () => {
    const { page } = await open(from("08:00", "18:00"), { timezoneId: "UTC" });
    await page.locator("[data-settled=true][data-loading=false]").waitFor();
    const spans = Number(await lanes(page).getAttribute("data-spans"));
    expect(spans).toBeGreaterThan(50);
    const [requests, fewest] = [watchRequests(page), await watchSpans(page)];
    await lanes(page).focus();
    for (const key of ["d", "a", "a", "d"]) {
      const address = page.url();
      await page.keyboard.press(key);
      // The address follows when the lanes have come to rest.
      await expect.poll(() => page.url()).not.toBe(address);
    }
    await settled(page);
    await expect.poll(async () => Number(await lanes(page).getAttribute("data-spans"))).toBe(spans);
    expect(requests).toEqual([]);
    expect(await fewest()).toBeGreaterThan(spans / 3);
  });

  it("keeps the coarser spans on the screen until the finer ones have arrived", async () => {
    const { page } = await open(from("08:00", "18:00"), { timezoneId: "UTC" });
    await settled(page);
    const level = await lanes(page).getAttribute("data-level");
    let release = () => {};
    const released = new Promise<void>((done) => (release = done));
    await page.route("**/api/1/timeline?*", async (route) => {
      await released;
      await route.continue();
    });
    const fewest = await watchSpans(page);
    await lanes(page).focus();
    await page.keyboard.press("w");
    await page.keyboard.press("w");
    await expect.poll(() => page.url()).not.toContain("T08:00:00");
    expect(await lanes(page).getAttribute("data-settled")).toBe("false");
    expect(await lanes(page).getAttribute("data-level")).not.toBe(level);
    release();
    await settled(page);
    expect(await fewest()).toBeGreaterThan(0);
  });
});

describe("the legend", () => {
  const names = (page: Page) =>
    page.getByRole("list", { name: "Colors" }).getByRole("listitem").allTextContents();

  it("says the same after a change of the colors as on a page that is opened with them", async () => {
    /** The names with their colors. */
    const entries = (page: Page) =>
      page
        .getByRole("list", { name: "Colors" })
        .getByRole("listitem")
        .evaluateAll((all) =>
          all.map((one) => {
            const mark = one.querySelector(".mark");
            return `${one.textContent?.trim()} ${mark && getComputedStyle(mark).backgroundColor} ${mark?.className}`;
          }),
        );
    const { page } = await open(from("08:00", "18:00"), { timezoneId: "UTC" });
    await settled(page);
    await expect.poll(async () => (await names(page)).join()).toContain("Work");
    const color = page.getByLabel("Color", { exact: true });
    await color.selectOption("title");
    await settled(page);
    await expect.poll(async () => (await names(page)).join()).not.toContain("Work ›");
    await color.selectOption("category");
    await ready(page);
    await settled(page);
    const { page: fresh } = await open(from("08:00", "18:00"), { timezoneId: "UTC" });
    await settled(fresh);
    // A legend follows its lanes with a delay, and both are compared when they have come to rest.
    const difference = async () => {
      const [one, other] = [await entries(page), await entries(fresh)];
      return one.length > 0 && one.join() === other.join() ? [] : [one, other];
    };
    await expect.poll(difference).toEqual([]);
    const shown = await names(page);
    expect(new Set(shown).size).toBe(shown.length);
  });
});

describe("a span", () => {
  const WINDOW = "aw-watcher-window_laptop";

  /** The middle of a time on a lane. */
  async function pointAt(page: Page, lane: string, time: number, start: string, end: string) {
    const [box, label] = [
      await lanes(page).boundingBox(),
      await page.locator(`[data-lane="${lane}"]`).boundingBox(),
    ];
    if (!box || !label) throw new Error("there are no lanes");
    const [from, to] = [Date.parse(`${day}T${start}:00Z`), Date.parse(`${day}T${end}:00Z`)];
    return { x: box.x + ((time - from) / (to - from)) * box.width, y: label.y + label.height / 2 };
  }

  it("shows its title with the app under it", async () => {
    const answer = await server.get<{
      keys: string[];
      titles: string[];
      lanes: { gap: number[]; dur: number[]; key: number[]; title: number[] }[];
    }>(`/api/1/timeline?start=${day}T04:00:00Z&end=${day}T23:00:00Z&px=500&lanes=${WINDOW}`);
    const [lane] = answer.lanes;
    if (!lane) throw new Error("there is no lane");
    const ends = lane.gap.map((_, place) =>
      [...lane.gap.slice(0, place + 1), ...lane.dur.slice(0, place + 1)].reduce((sum, one) => sum + one, 0),
    );
    const longest = lane.dur.indexOf(Math.max(...lane.dur));
    const start = Date.parse(`${day}T04:00:00Z`);
    const middle = start + ((ends[longest] ?? 0) - (lane.dur[longest] ?? 0) / 2) / 1000;
    const { page } = await open(`${from("04:00", "23:00")}&lanes=${WINDOW}`, { timezoneId: "UTC" });
    await settled(page);
    const point = await pointAt(page, WINDOW, middle, "04:00", "23:00");
    await page.mouse.move(point.x, point.y);
    const tip = lanes(page).locator("div[aria-hidden=true] p");
    await expect.poll(() => tip.first().textContent()).not.toBe("");
    expect(answer.titles).toContain((await tip.first().textContent())?.replace(/\s*×[\d,]+\s*$/, "").trim());
    expect(answer.keys).toContain((await tip.nth(1).textContent())?.trim());
  });

  it("that is a session lists its events, and the lanes stay where they are", async () => {
    const { sessions } = await server.get<{ sessions: { start: string; end: string; title: string }[] }>(
      `/api/1/timeline/sessions?start=${day}T08:00:00Z&end=${day}T18:00:00Z&tz=UTC`,
    );
    const length = (one: { start: string; end: string }) => Date.parse(one.end) - Date.parse(one.start);
    const longest = [...sessions].sort((one, other) => length(other) - length(one))[0];
    if (!longest) throw new Error("there are no sessions");
    const { page } = await open(from("08:00", "18:00"), { timezoneId: "UTC" });
    await settled(page);
    await page.locator("[data-lane=sessions]").getByText("What I did").waitFor();
    await page.locator(`[data-lane="${WINDOW}"]`).getByText("Apps", { exact: true }).waitFor();
    const before = await lanes(page).boundingBox();
    const middle = (Date.parse(longest.start) + Date.parse(longest.end)) / 2;
    const point = await pointAt(page, "sessions", middle, "08:00", "18:00");
    await page.mouse.click(point.x, point.y);
    const list = page.getByRole("list", { name: "Events" });
    await list.getByRole("listitem").first().waitFor();
    expect(await list.textContent()).toContain(longest.title);
    expect(await lanes(page).boundingBox()).toEqual(before);
    await page.keyboard.press("Escape");
    await expect.poll(() => list.count()).toBe(0);
  });
});

describe("the lanes of a device", () => {
  it("fill the window, and those without a span collapse", async () => {
    const { page } = await open(from("08:00", "18:00"), { timezoneId: "UTC" });
    await settled(page);
    const heights = await page
      .locator("[data-lane]")
      .evaluateAll((all) => all.map((one) => (one as HTMLElement).offsetHeight));
    expect(Math.max(...heights)).toBeGreaterThan(28);
    const box = await lanes(page).boundingBox();
    if (!box) throw new Error("there are no lanes");
    expect(box.y + box.height).toBeLessThanOrEqual(900);
    const lane = await server.addBucket("silent", { type: "currentwindow", hostname: "laptop" });
    await page.reload();
    await ready(page);
    await settled(page);
    await expect
      .poll(async () => (await page.locator(`[data-lane="${lane}"]`).boundingBox())?.height)
      .toBeLessThan(20);
  });
});

describe("the week grid", () => {
  it("has the sessions of seven days, opens one on the lanes, and annotates what is dragged over", async () => {
    const { page } = await open(`${server.url}/#/timeline?view=week&date=${day}`, { timezoneId: "UTC" });
    const answer = await server.get<{ sessions: { title: string; start: string }[] }>(
      `/api/1/timeline/sessions?period=week&date=${day}&tz=UTC`,
    );
    const blocks = page.getByRole("region", { name: "Days" }).getByRole("listitem");
    await expect.poll(() => blocks.count()).toBeGreaterThanOrEqual(answer.sessions.length);
    expect(await violations(page, "main")).toEqual([]);
    const columns = page.getByRole("region", { name: "Days" }).getByRole("list");
    expect(await columns.count()).toBe(7);
    const box = await columns.nth(6).boundingBox();
    if (!box) throw new Error("there are no columns");
    await page.mouse.move(box.x + box.width / 2, box.y + 44);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + 88, { steps: 4 });
    await page.mouse.up();
    await page.getByRole("dialog", { name: "Annotate" }).waitFor();
    await page.keyboard.press("Escape");
    await blocks.first().click();
    await page.getByRole("list", { name: "Events" }).getByRole("listitem").first().waitFor();
    expect(page.url()).not.toContain("view=week");
    await page.goBack();
    await blocks.first().waitFor();
  });
});
