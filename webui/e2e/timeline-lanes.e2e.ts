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

  it("that is a session is summed up beside the lanes, can be split, and lists its events", async () => {
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
    const panel = page.getByRole("complementary");
    await panel.getByRole("list", { name: "Apps" }).getByRole("listitem").first().waitFor();
    expect(await panel.getByRole("list", { name: "Titles" }).textContent()).toContain(longest.title);
    expect(await violations(page, "aside")).toEqual([]);
    // The panel covers neither lanes nor their names nor the controls above them.
    const [beside, after] = [await panel.boundingBox(), await lanes(page).boundingBox()];
    if (!before || !beside || !after) throw new Error("there are no lanes");
    expect(after.x + after.width).toBeLessThanOrEqual(beside.x);
    expect([after.x, after.y]).toEqual([before.x, before.y]);
    const timeline = await page.getByRole("region", { name: "Timeline", exact: true }).boundingBox();
    expect((timeline?.x ?? 0) + (timeline?.width ?? 0)).toBeLessThanOrEqual(beside.x);
    const list = panel.getByRole("list", { name: "Events" });
    expect(await list.count()).toBe(0);
    await panel.getByRole("button", { name: "Events", exact: true }).click();
    await list.getByRole("listitem").first().waitFor();
    await panel.getByRole("button", { name: "Split", exact: true }).click();
    await panel
      .getByRole("button", { name: /^Continue with/ })
      .first()
      .click();
    await page.getByRole("heading", { name: "Selection" }).waitFor();
    const selection = new URLSearchParams(page.url().split("?")[1]).get("selection") ?? "";
    expect(Date.parse(selection.split("/")[0] ?? "")).toBe(Date.parse(longest.start));
    await page.keyboard.press("Escape");
    await expect.poll(() => panel.count()).toBe(0);
  });
});

/** Answer what matches only when the returned function is called. */
async function hold(page: Page, pattern: RegExp): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((done) => (release = done));
  await page.route(pattern, async (route) => {
    await released;
    await route.continue().catch(() => undefined); // the page gave it up
  });
  return release;
}

describe("while answers are slow", () => {
  it("zooming out keeps what is drawn, under a line that says that more is coming", async () => {
    const { page } = await open(from("10:00", "10:20"), { timezoneId: "UTC" });
    await page.locator("[data-settled=true][data-loading=false]").waitFor();
    const release = await hold(page, /api\/1\/timeline\?/);
    const fewest = await watchSpans(page);
    await lanes(page).focus();
    // Six levels further out: the part that was loaded stays to the last.
    for (let press = 0; press < 9; press += 1) await page.keyboard.press("s");
    await page.locator("[data-waiting]").waitFor({ state: "attached" });
    await expect.poll(async () => Number(await lanes(page).getAttribute("data-level"))).toBeGreaterThan(5);
    expect(await fewest()).toBeGreaterThan(0);
    release();
    await settled(page);
    await expect.poll(() => page.locator("[data-waiting]").count()).toBe(0);
  });

  it("the lanes stay where they are when the sessions arrive", async () => {
    const { page } = await open(`${server.url}/#/settings`, { timezoneId: "UTC" });
    const release = await hold(page, /timeline\/sessions/);
    await page.goto(from("08:00", "18:00"));
    await settled(page);
    const top = async () => (await page.locator(`[data-lane="${WINDOW}"]`).boundingBox())?.y;
    const before = await top();
    release();
    await ready(page);
    await expect
      .poll(() =>
        page.evaluate(
          () =>
            performance.getEntriesByType("resource").filter(({ name }) => name.includes("timeline/sessions"))
              .length,
        ),
      )
      .toBeGreaterThan(0);
    expect(await top()).toBe(before);
  });
});

it("the tooltip names what is under the pointer, also after the wheel", async () => {
  const { page } = await open(from("08:00", "18:00"), { timezoneId: "UTC" });
  await settled(page);
  const point = await pointAt(page, WINDOW, Date.parse(`${day}T11:00:00Z`), "08:00", "18:00");
  await page.mouse.move(point.x, point.y);
  const tip = lanes(page).locator("div[aria-hidden=true] p");
  const text = async () => (await tip.allTextContents()).join("\n");
  for (let turn = 0; turn < 6; turn += 1) await page.mouse.wheel(0, turn < 4 ? 400 : -300);
  await settled(page);
  await expect
    .poll(async () => {
      const after = await text();
      await page.mouse.move(point.x, point.y + 1);
      await page.mouse.move(point.x, point.y);
      return after === (await text());
    })
    .toBe(true);
});

describe("beyond a week", () => {
  it("there is a column for each day, which says what is in it and leads to it", async () => {
    const { page } = await open(`${server.url}/#/timeline?period=month&date=${day}`, { timezoneId: "UTC" });
    await settled(page);
    const series = await server.get<{ total: number[] }>(
      `/api/1/series?period=month&date=${day}&bin=day&by=category&tz=UTC`,
    );
    const used = series.total.filter((seconds) => seconds > 0).length;
    await expect.poll(async () => Number(await lanes(page).getAttribute("data-spans"))).toBe(used);
    // Where the lanes went is said.
    await page.getByText("Zoom in to a week or less to see sessions and lanes.").first().waitFor();
    expect(await violations(page, "main")).toEqual([]);
    await lanes(page).focus();
    await page.keyboard.press("ArrowRight");
    const said = lanes(page).locator("[aria-live=polite]");
    await expect.poll(() => said.textContent()).toMatch(/Active time per day: \d/);
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toContain("start=");
    await page.locator(`[data-lane="${WINDOW}"]`).waitFor();
  });

  it("a click on the legend filters", async () => {
    const { page } = await open(`${server.url}/#/timeline?period=month&date=${day}`, { timezoneId: "UTC" });
    await settled(page);
    const entry = page.getByRole("list", { name: "Colors" }).getByRole("button").first();
    const name = (await entry.textContent())?.trim() ?? "";
    await entry.click();
    await expect
      .poll(() => new URLSearchParams(page.url().split("?")[1]).get("filter"))
      .toContain("category:under:");
    await page
      .getByRole("list", { name: "Colors" })
      .getByRole("button", { name, exact: true, pressed: true })
      .waitFor();
  });
});

it("the timeline has one control named Lanes, and no comparison, which it would not show", async () => {
  const { page } = await open(`${server.url}/#/timeline?date=${day}`, { timezoneId: "UTC" });
  await settled(page);
  const named = page.locator("main :is(button, label)").filter({ hasText: /^\s*Lanes\s*$/ });
  expect(await named.count()).toBe(1);
  expect(await page.getByLabel("Compare with").count()).toBe(0);
  await page.keyboard.press("x");
  expect(page.url()).not.toContain("compare=");
  await page.keyboard.press("?");
  await page.getByText("Open the event, or list the events of a merged span or session").waitFor();
});

it("the table has sessions or events, and never both", async () => {
  const { page } = await open(`${from("08:00", "18:00")}&view=table`, { timezoneId: "UTC" });
  const rows = page.getByRole("table").locator("tr[data-span]");
  await rows.first().waitFor();
  const lanesOf = () =>
    rows.evaluateAll((all) => all.map((each) => each.getAttribute("data-span")?.split(" ")[0]));
  expect(new Set(await lanesOf())).toEqual(new Set(["sessions"]));
  const heads = page.getByRole("columnheader");
  expect(await heads.allTextContents()).not.toContain("Events");
  await page.getByRole("radio", { name: "Events" }).check({ force: true });
  await expect.poll(async () => (await lanesOf()).includes("sessions")).toBe(false);
  expect(await heads.allTextContents()).toContain("Events");
  expect(await violations(page, "main")).toEqual([]);
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
    await page.getByRole("heading", { name: "Session" }).waitFor();
    expect(page.url()).not.toContain("view=week");
    await page.goBack();
    await blocks.first().waitFor();
  });
});
