import type { Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { contrastViolations, violations } from "./axe.ts";
import { expectNoOverflow, open, ready, undoByMessage, type Watched } from "./browser.ts";
import { demoServer, type Server } from "./server.ts";

const BUCKET = "aw-watcher-window_laptop";
const MINUTE = 60_000;

interface Stored {
  id: number;
  timestamp: string;
  end: string;
  duration: number;
  data: Record<string, string>;
}
interface Lanes {
  px: number;
  keys: string[];
  lanes: { bucket: string; gap: number[]; n: number[] }[];
}

let server: Server;
/** Events that are long enough to be met with a pointer, and not among the last ones. */
let events: Stored[];
/** The one of a test, which no test had before: an earlier one may have left its own changed. */
let event: Stored;
beforeAll(async () => {
  server = await demoServer();
  const newest = await server.get<{ events: Stored[] }>(
    `/api/1/buckets/${BUCKET}/events?limit=1000&order=newest`,
  );
  events = newest.events.slice(200).filter(({ duration }) => duration > 40);
});
beforeEach(() => {
  const next = events.shift();
  if (!next) throw new Error("the demo data has too few long events");
  event = next;
});

const iso = (time: number) => new Date(time).toISOString();
const stored = (id = event.id) => server.get(`/api/1/events/${BUCKET}/${id}`);
const lanes = (page: Page) => page.getByRole("group", { name: "Lanes", exact: true });
const settled = (page: Page) => page.locator("[data-settled=true]").waitFor();

/** The address of the timeline around the event, with other parameters. */
function around(rest: Record<string, string> = {}, minutes = 4): string {
  const params = new URLSearchParams({
    start: iso(Date.parse(event.timestamp) - minutes * MINUTE),
    end: iso(Date.parse(event.end) + minutes * MINUTE),
    ...rest,
  });
  return `${server.url}/#/timeline?${params}`;
}

/** Where a time is on the lanes, as the address says what they show. */
async function placeOf(page: Page, time: number): Promise<{ x: number; y: number }> {
  const params = new URLSearchParams(new URL(page.url()).hash.split("?")[1]);
  const [start, end] = [Date.parse(params.get("start") ?? ""), Date.parse(params.get("end") ?? "")];
  const box = await lanes(page).boundingBox();
  if (!box) throw new Error("there are no lanes");
  const label = await page.locator(`[data-lane="${BUCKET}"]`).boundingBox();
  if (!label) throw new Error("the lane has no label");
  return { x: box.x + ((time - start) / (end - start)) * box.width, y: label.y + label.height / 2 };
}

async function clickEvent(page: Page): Promise<void> {
  const { x, y } = await placeOf(page, (Date.parse(event.timestamp) + Date.parse(event.end)) / 2);
  await page.mouse.click(x, y);
  await page.getByRole("heading", { name: "Event" }).waitFor();
  await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
}

describe("the lanes", () => {
  it("of a year have no more spans than pixels, in the answers and on the screen", async () => {
    const { page } = await open(`${server.url}/#/timeline`);
    const answers: Promise<Lanes>[] = [];
    // Finished, since the page cancels those that it no longer needs.
    page.on("requestfinished", (request) => {
      if (request.url().includes("/api/1/timeline?"))
        answers.push(request.response().then((response) => response?.json() as Promise<Lanes>));
    });
    // Buckets that were chosen are lanes, however long the screen is.
    await page.goto(`${server.url}/#/timeline?period=year&lanes=${BUCKET}`);
    await expect.poll(async () => Number(await lanes(page).getAttribute("data-level"))).toBeGreaterThan(14);
    await settled(page);
    expect(answers.length).toBeGreaterThan(0);
    for (const answer of await Promise.all(answers))
      for (const lane of answer.lanes) expect(lane.gap.length).toBeLessThanOrEqual(answer.px);
    const width = (await lanes(page).boundingBox())?.width ?? 0;
    await expect.poll(async () => Number(await lanes(page).getAttribute("data-spans"))).toBeGreaterThan(10);
    expect(Number(await lanes(page).getAttribute("data-most"))).toBeLessThanOrEqual(width);
  });

  it("come back as they were after a reload, and by back and forward", async () => {
    const { page } = await open(`${server.url}/#/timeline?date=${event.timestamp.slice(0, 10)}`);
    const level = await lanes(page).getAttribute("data-level");
    await lanes(page).focus();
    await page.keyboard.press("w");
    await page.keyboard.press("w");
    await page.keyboard.press("w");
    await expect.poll(() => page.url()).toContain("start=");
    await settled(page);
    const closer = await lanes(page).getAttribute("data-level");
    expect(closer).not.toBe(level);
    const box = await lanes(page).boundingBox();
    if (!box) throw new Error("there are no lanes");
    await page.mouse.move(box.x + 200, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 400, box.y + 60, { steps: 3 });
    await page.mouse.up();
    await page.getByRole("heading", { name: "Selection" }).waitFor();
    const [address, range] = [page.url(), await page.locator("aside p").nth(1).textContent()];
    await page.reload();
    await ready(page);
    expect(page.url()).toBe(address);
    expect(await page.locator("aside p").nth(1).textContent()).toBe(range);
    expect(await lanes(page).getAttribute("data-level")).not.toBe(level);
    await page.goBack();
    await expect.poll(() => page.getByRole("heading", { name: "Selection" }).count()).toBe(0);
    await page.goBack();
    await expect.poll(() => lanes(page).getAttribute("data-level")).toBe(level);
    expect(page.url()).not.toContain("start=");
    await page.goForward();
    await expect.poll(() => lanes(page).getAttribute("data-level")).not.toBe(level);
  });

  it("give the summary of what is dragged over, to the second", async () => {
    const day = event.timestamp.slice(0, 10);
    const at = (time: string) => Date.parse(`${day}T${time}:00Z`);
    const params = new URLSearchParams({ start: iso(at("08:00")), end: iso(at("18:00")) });
    const { page } = await open(`${server.url}/#/timeline?${params}`, { timezoneId: "UTC" });
    const [from, to] = [await placeOf(page, at("10:05")), await placeOf(page, at("11:20"))];
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 4 });
    await page.mouse.up();
    await expect
      .poll(() => decodeURIComponent(page.url()))
      .toContain(`selection=${day}T10:05:00Z/${day}T11:20:00Z`);
    const summary = await server.get<{ totals: { active: number; away: number } }>(
      `/api/1/summary?start=${day}T10:05:00Z&end=${day}T11:20:00Z`,
    );
    const panel = page.getByRole("region", { name: "Selection" });
    await expect.poll(() => panel.getAttribute("data-active")).toBe(String(summary.totals.active));
    const said = await panel
      .locator("dd time")
      .evaluateAll((all) => all.map((one) => one.getAttribute("datetime")));
    expect(said).toEqual([
      `PT${Math.round(summary.totals.active)}S`,
      `PT${Math.round(summary.totals.away)}S`,
    ]);
  });

  it("say where something is when there is nothing here, and lead there", async () => {
    const { page } = await open(
      `${server.url}/#/timeline?start=2020-01-01T00:00:00Z&end=2020-01-02T00:00:00Z`,
    );
    await page.getByText("No events here. Nearest:").waitFor();
    await page.getByRole("button", { name: /^On to/ }).click();
    await expect.poll(async () => Number(await lanes(page).getAttribute("data-spans"))).toBeGreaterThan(0);
    expect(await page.getByText("No events here.").count()).toBe(0);
  });

  it("say why they could not be had, and try again", async () => {
    const { page, tolerate } = await open(`${server.url}/#/settings`);
    tolerate(/\b500\b/);
    await page.route("**/api/1/timeline?*", (route) =>
      route.fulfill({
        status: 500,
        json: { type: "Failed", message: "The disk is on fire", request_id: "x" },
      }),
    );
    await page.goto(around());
    await page.getByText("The disk is on fire").first().waitFor();
    await page.unroute("**/api/1/timeline?*");
    await page.getByRole("button", { name: "Try again" }).first().click();
    await expect.poll(async () => Number(await lanes(page).getAttribute("data-spans"))).toBeGreaterThan(0);
  });

  it("grow by what is recorded while now is on the screen", async () => {
    const bucket = await server.addBucket("live", { type: "currentwindow" });
    const params = new URLSearchParams({
      start: iso(Date.now() - 10 * MINUTE),
      end: iso(Date.now() + 10 * MINUTE),
      lanes: bucket,
    });
    const { page } = await open(`${server.url}/#/timeline?${params}`);
    await page.getByText("Live", { exact: true }).waitFor();
    expect(await lanes(page).getAttribute("data-spans")).toBe("0");
    await server.post(`/api/0/buckets/${bucket}/heartbeat?pulsetime=60`, {
      timestamp: iso(Date.now() - MINUTE),
      duration: 60,
      data: { app: "New", title: "new" },
    });
    await expect.poll(() => lanes(page).getAttribute("data-spans")).toBe("1");
  });
});

describe("an event", () => {
  let page: Page;
  let tolerate: Watched["tolerate"];
  let before: unknown;
  beforeEach(async () => {
    ({ page, tolerate } = await open(around()));
    before = await stored();
  });

  it("is edited, and is as before when that is undone by the message", async () => {
    await clickEvent(page);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Edit event" });
    await dialog.getByLabel("Data").fill('{"app": "Changed", "title": "by hand"}');
    expect(await violations(page, "dialog[open]")).toEqual([]);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("Event changed", { exact: true }).first().waitFor();
    expect(await stored()).toMatchObject({ data: { app: "Changed", title: "by hand" } });
    await undoByMessage(page, "Event changed");
    expect(await stored()).toEqual(before);
  });

  it("is shown in both versions where somebody else changed it meanwhile", async () => {
    tolerate(/\b412\b/);
    await clickEvent(page);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Edit event" });
    await dialog.getByLabel("Data").fill('{"app": "Mine", "title": "mine"}');
    await server.call("PATCH", `/api/1/events/${BUCKET}/${event.id}`, {
      data: { app: "Theirs", title: "x" },
    });
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText(/This event was changed elsewhere/).waitFor();
    await dialog.getByText('"Theirs"').waitFor();
    expect(await dialog.getByLabel("Data").inputValue()).toContain("Mine");
    await dialog.getByRole("button", { name: "Save mine" }).click();
    await page.getByText("Event changed", { exact: true }).first().waitFor();
    expect(await stored()).toMatchObject({ data: { app: "Mine" } });
    await server.call("PATCH", `/api/1/events/${BUCKET}/${event.id}`, { data: event.data });
  });

  it("is split at the pointer, and is one again after Ctrl Z", async () => {
    await clickEvent(page);
    await settled(page);
    const spans = Number(await lanes(page).getAttribute("data-spans"));
    await page.getByRole("button", { name: "Split", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Split", exact: true }).click();
    await page.getByText("Event split", { exact: true }).first().waitFor();
    await expect.poll(async () => Number(await lanes(page).getAttribute("data-spans"))).toBe(spans + 1);
    expect(Date.parse(((await stored()) as Stored).end)).toBeLessThan(Date.parse(event.end));
    await page.keyboard.press("Control+z");
    await page.getByText("Undone: Event split").waitFor();
    await expect.poll(async () => Number(await lanes(page).getAttribute("data-spans"))).toBe(spans);
    expect(await stored()).toEqual(before);
  });

  it("stays where it is when the server refuses to delete it, which says why", async () => {
    tolerate(/\b409\b/);
    await clickEvent(page);
    await settled(page);
    const spans = await lanes(page).getAttribute("data-spans");
    const refuse = "**/api/1/events/*/*";
    let letGo = () => {};
    const held = new Promise<void>((done) => (letGo = done));
    await page.route(refuse, async (route) => {
      if (route.request().method() !== "DELETE") return route.fallback();
      await held;
      return route.fulfill({
        status: 409,
        json: { type: "Conflict", message: "It is locked", request_id: "x" },
      });
    });
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    // It is gone at once, and comes back with the answer.
    await expect.poll(() => lanes(page).getAttribute("data-spans")).toBe(String(Number(spans) - 1));
    letGo();
    await page.getByText("Could not delete the event: It is locked").waitFor();
    await expect.poll(() => lanes(page).getAttribute("data-spans")).toBe(spans);
    await page.unroute(refuse);
    expect(await stored()).toEqual(before);
  });

  it("and all others of a stretch are deleted after a look at how many they are, and brought back", async () => {
    await page.goto(
      around({
        selection: `${iso(Date.parse(event.timestamp) - MINUTE)}/${iso(Date.parse(event.end) + MINUTE)}`,
      }),
    );
    await settled(page);
    const list = () =>
      server.get<{ events: Stored[] }>(
        `/api/1/buckets/${BUCKET}/events?limit=1000&start=${iso(Date.parse(event.timestamp) - MINUTE)}&end=${iso(Date.parse(event.end) + MINUTE)}`,
      );
    const all = await list();
    await page.getByRole("button", { name: "Delete events…" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete events" });
    await dialog.getByText("Whole events").click();
    const row = dialog.getByRole("row").filter({ hasText: "laptop · Apps" });
    await expect.poll(() => row.locator("td").first().textContent()).toBe(String(all.events.length));
    expect(await violations(page, "dialog[open]")).toEqual([]);
    await dialog.getByRole("button", { name: /^Delete \d+ events/ }).click();
    const message = page.getByText(/^Deleted \d+ events$/);
    await message.waitFor();
    expect((await list()).events).toEqual([]);
    await undoByMessage(page, (await message.textContent()) ?? "");
    expect(await list()).toEqual(all);
  });
});

it("deleting a range cuts the events at its edges, keeps notes, and is undone as one", async () => {
  const at = (minutes: number) => new Date(Date.UTC(2025, 5, 3, 10, minutes)).toISOString();
  const events = [
    { timestamp: at(0), duration: 3600, data: { app: "Editor", title: "All morning" } },
    { timestamp: at(20), duration: 60, data: { app: "Mail", title: "Inside" } },
  ];
  const bucket = await server.addBucket("cut", { type: "currentwindow", events });
  const note = await server.call<{ id: number; undo: number }>("POST", "/api/1/annotations", {
    kind: "label",
    label: "Meeting",
    start: at(10),
    end: at(30),
  });
  onTestFinished(async () => void (await server.call("DELETE", `/api/1/annotations/${note.id}`)));
  const list = async () =>
    (
      await server.get<{ events: { timestamp: string; duration: number; data: { app: string } }[] }>(
        `/api/1/buckets/${bucket}/events?order=oldest`,
      )
    ).events.map((each) => [each.data.app, Date.parse(each.timestamp), each.duration]);
  const before = await list();
  const params = new URLSearchParams({ start: at(0), end: at(60), selection: `${at(10)}/${at(40)}` });
  const { page } = await open(`${server.url}/#/timeline?${params}`);
  await settled(page);
  await page.getByRole("button", { name: "Delete events…" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete events" });
  const row = dialog.getByRole("row").filter({ hasText: bucket });
  await expect.poll(() => row.locator("td").first().textContent()).toBe("2");
  expect(await row.locator("time").getAttribute("datetime")).toBe("PT1860S");
  await dialog.getByText("1 event is cut at the edges of the range; the rest of it stays.").waitFor();
  const notes = dialog.getByRole("checkbox", { name: /Notes/ });
  expect(await notes.isChecked()).toBe(false);
  expect(await violations(page, "dialog[open]")).toEqual([]);
  await dialog.getByRole("button", { name: "Delete 2 events" }).click();
  const message = page.getByText("Deleted 2 events", { exact: true });
  await message.waitFor();
  expect(await list()).toEqual([
    ["Editor", Date.parse(at(0)), 600],
    ["Editor", Date.parse(at(40)), 1200],
  ]);
  expect(await server.get(`/api/1/annotations/${note.id}`)).toMatchObject({ label: "Meeting" });
  await undoByMessage(page, "Deleted 2 events");
  await expect.poll(list).toEqual(before);
});

describe("by keyboard alone", () => {
  async function tabTo(page: Page, target: Locator): Promise<void> {
    for (let count = 0; count < 60; count += 1) {
      if (await target.evaluate((element) => element === document.activeElement)) return;
      await page.keyboard.press("Tab");
    }
    throw new Error("Tab does not lead there");
  }

  it("an event is found, opened, deleted, and brought back", async () => {
    const { page } = await open(around({ lanes: BUCKET }));
    await page.locator("main").focus();
    await tabTo(page, lanes(page));
    expect(await lanes(page).evaluate((element) => getComputedStyle(element).outlineStyle)).toBe("solid");
    await page.keyboard.press("ArrowRight");
    const said = lanes(page).locator("[aria-live]");
    // The middle of the screen is the middle of the event.
    await expect.poll(() => said.textContent()).toContain(event.data.app);
    expect(await said.textContent()).toMatch(
      /\d{4}-\d{2}-\d{2}, .* – .*, .*(minute|second)s?, Apps on laptop/,
    );
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Event" }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.closest("aside") !== null)).toBe(true);
    await page.keyboard.press("Escape");
    expect(await lanes(page).evaluate((element) => element === document.activeElement)).toBe(true);
    // The lanes are as wide as before again, and their spans single events.
    await expect.poll(() => said.textContent()).toContain(`${event.data.app}`);
    await expect.poll(() => said.textContent()).not.toMatch(/\d+ events/);
    const before = await stored();
    await page.keyboard.press("Delete");
    await page.getByText("Event deleted", { exact: true }).first().waitFor();
    await expect(stored()).rejects.toThrow("404");
    await page.keyboard.press("Control+z");
    await page.getByText("Undone: Event deleted").waitFor();
    expect(await stored()).toEqual(before);
    // These letters are the timeline's while it has the focus: the period stays what it is.
    await page.keyboard.press("d");
    await expect.poll(() => page.url()).toContain("start=");
    expect(page.url()).not.toContain("period=");
    // A key of the page still works, and hides what is written on the lanes.
    const picture = () =>
      page.evaluate(() => document.querySelector<HTMLCanvasElement>("[data-spans] canvas")?.toDataURL());
    await settled(page);
    const readable = await picture();
    await page.keyboard.press("Shift+B");
    await expect.poll(picture).not.toBe(readable);
  });
});

describe("the table", () => {
  it("has the spans of the lanes, with their names, times and actions", async () => {
    const { page } = await open(around({ lanes: BUCKET, view: "table" }, 0.5), { timezoneId: "UTC" });
    const [start, end] = [Date.parse(event.timestamp) - MINUTE / 2, Date.parse(event.end) + MINUTE / 2];
    const answer = await server.get<Lanes>(
      `/api/1/timeline?start=${iso(start)}&end=${iso(end)}&px=5000&lanes=${BUCKET}`,
    );
    const count = answer.lanes[0]?.gap.length ?? 0;
    const table = page.getByRole("table");
    await expect.poll(() => table.getAttribute("aria-rowcount")).toBe(String(count + 1));
    const row = table.locator(`tr[data-span^="${BUCKET} ${event.id} "]`);
    expect(await row.locator("time").getAttribute("datetime")).toBe(`PT${Math.round(event.duration)}S`);
    expect(await row.textContent()).toContain(event.data.app);
    await page.getByRole("radiogroup", { name: "View" }).getByText("Timeline").click();
    await expect.poll(() => lanes(page).getAttribute("data-spans")).toBe(String(count));
    await page.goBack();
    await row.getByRole("button", { name: event.data.title, exact: true }).click();
    await page.getByRole("heading", { name: "Event" }).waitFor();
    expect(await violations(page, "main")).toEqual([]);
  });
});

it("axe finds nothing with an event, nor with a selection on a narrow screen, in either theme", async () => {
  const { page } = await open(around({ event: `${event.id}@${BUCKET}` }));
  await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
  expect(await violations(page, "main")).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await contrastViolations(page, "main")).toEqual([]);
  await page.goto(around({ selection: `${event.timestamp}/${event.end}` }));
  await page.getByRole("button", { name: "Delete events…" }).waitFor();
  await page.setViewportSize({ width: 320, height: 800 });
  await expectNoOverflow(page);
  expect(await contrastViolations(page, "main")).toEqual([]);
  await page.emulateMedia({ colorScheme: "light" });
  expect(await violations(page, "main")).toEqual([]);
});
