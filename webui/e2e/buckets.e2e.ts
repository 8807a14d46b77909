import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { violations } from "./axe.ts";
import { open, ready, undoByMessage, type Watched } from "./browser.ts";
import { ago, demoServer, Server, uniqueName } from "./server.ts";

interface State {
  id: string;
  device: string;
  events: number;
  health: string;
  aliases: string[];
}
interface Job {
  id: string;
  state: string;
  result: { imported: number; skipped: number } | null;
  error: { message: string } | null;
}

const WINDOW = "aw-watcher-window_laptop";
const SCRIPT = "javascript:document.body.dataset.hit=1";

let server: Server;
let page: Page;
let tolerate: Watched["tolerate"];
beforeAll(async () => {
  server = await demoServer();
});
beforeEach(async () => {
  ({ page, tolerate } = await open(`${server.url}/#/buckets`));
});

async function show(hash: string): Promise<void> {
  await page.evaluate((next) => (location.hash = next), hash);
  await ready(page);
}
/** Show the list with what was added since the page was opened. */
async function showList(): Promise<void> {
  await page.reload();
  await ready(page);
}
const states = async () => (await server.get<{ buckets: State[] }>("/api/1/buckets")).buckets;
const eventsOf = async (id: string) => (await states()).find((bucket) => bucket.id === id)?.events;
const exported = async (id: string) =>
  (await fetch(`${server.url}/api/0/buckets/${encodeURIComponent(id)}/export`)).text();
const row = (id: string) =>
  page.getByRole("row").filter({ has: page.getByRole("link", { name: id, exact: true }) });
const button = (name: string | RegExp) => page.getByRole("button", { name });
const says = (text: string | RegExp) =>
  page.getByRole("status").getByText(text, { exact: typeof text === "string" });

async function choose(id: string, what: string | RegExp): Promise<void> {
  await button(`Actions for ${id}`).click();
  await page.getByRole("menuitem", { name: what }).click();
}

/** A bucket of presence with an event for each of some minutes. */
function addPresence(minutes: number, type = "afkstatus"): Promise<string> {
  const events = Array.from({ length: minutes }, (_, minute) => ({
    timestamp: new Date(Date.UTC(2025, 4, 1, 10, minute)).toISOString(),
    duration: 30,
    data: { status: minute % 2 ? "afk" : "not-afk" },
  }));
  return server.addBucket("presence", { type, events });
}

describe("the list", () => {
  it("has every bucket under its device, with its events and how its watcher is", async () => {
    const { window } = await addWatchers();
    await beat(window, 0);
    await showList();
    const differing = async () => {
      const all = await states();
      const texts = await Promise.all(all.map(({ id }) => row(id).innerText()));
      const isShown = ({ events, health }: State, text = "") =>
        text.includes(events.toLocaleString("en")) && text.includes(health);
      return all.filter((bucket, place) => !isShown(bucket, texts[place])).map(({ id }) => id);
    };
    await expect.poll(differing).toEqual([]);
    expect(await page.getByRole("rowheader", { name: /^laptop demo data 4 buckets/ }).count()).toBe(1);
    const total = (await states()).reduce((sum, bucket) => sum + bucket.events, 0);
    expect(await page.locator("main").innerText()).toContain(`${total.toLocaleString("en")} events`);
    const isRecording = async () => {
      await beat(window, 0); // on a slow machine the last one may be long ago
      return row(window).innerText();
    };
    await expect.poll(isRecording).toContain("recording");
  });

  it("is where the addresses of the existing web UI lead", async () => {
    await show("#/rawdata");
    expect(await page.locator("main").getAttribute("data-page")).toBe("buckets");
    await show(`#/buckets/${WINDOW}`);
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe(WINDOW);
  });

  it("calls a watcher silent that stopped while others record: row, banner and badge follow", async () => {
    const { window, afk } = await addWatchers();
    await showList();
    expect(await row(afk).innerText()).not.toContain("silent");
    await beat(window, 0);
    await expect.poll(() => row(afk).innerText()).toContain("silent");
    await page.getByText(/^\d+ watchers? (is|are) silent/).waitFor();
    expect(await page.getByRole("link", { name: /^Buckets \d/ }).innerText()).toMatch(/[1-9]/);
    await button(`Fix ${afk}`).click();
    expect(await violations(page, "dialog[open]")).toEqual([]);
  });

  it("of an empty store says on every part why there is nothing, and what to do", async () => {
    const empty = await Server.startForTest({ data: "empty" });
    ({ page } = await open(`${empty.url}/#/buckets`));
    const main = page.locator("main");
    await main.getByRole("link", { name: "Set up a watcher" }).waitFor();
    for (const [tab, sentence] of [
      ["trash", "The trash is empty"],
      ["import", "Drop a database of ActivityWatch"],
      ["export", "There is nothing to export yet"],
      ["doctor", "No problems found"],
      ["space", "All events are kept"],
    ]) {
      await show(`#/buckets?tab=${tab}`);
      await main.getByText(sentence ?? "").waitFor();
      expect(await main.getByRole("button").or(main.locator("section a")).count()).toBeGreaterThan(0);
      expect(await main.getByRole("alert").count()).toBe(0);
    }
  });
});

describe("a bucket", () => {
  it("that was deleted is in the trash, and Ctrl Z or the trash brings it back byte for byte", async () => {
    const id = await addPresence(3);
    const before = await exported(id);
    await showList();
    await choose(id, "Delete");
    await says(`Moved ${id} to the trash`).waitFor();
    await row(id).waitFor({ state: "detached" });
    await page.keyboard.press("Control+z");
    await row(id).waitFor();
    expect(await exported(id)).toBe(before);

    await choose(id, "Delete");
    await row(id).waitFor({ state: "detached" });
    await show("#/buckets?tab=trash");
    const restore = button(new RegExp(`^Undo: Bucket deleted .*: ${id}$`));
    await restore.click();
    await restore.waitFor({ state: "detached" });
    expect(await exported(id)).toBe(before);
  });

  it("does not leave the trash for good before its name is typed", async () => {
    const id = await addPresence(3);
    await server.call("DELETE", `/api/0/buckets/${id}`);
    await show("#/buckets?tab=trash");
    await button(new RegExp(`^Delete permanently: Bucket deleted .*: ${id}$`)).click();
    const dialog = page.getByRole("dialog");
    const remove = dialog.getByRole("button", { name: "Delete permanently" });
    expect(await remove.isDisabled()).toBe(true);
    await dialog.getByRole("textbox").fill(id.slice(0, -1));
    expect(await remove.isDisabled()).toBe(true);
    expect(await violations(page, "dialog[open]")).toEqual([]);
    await dialog.getByRole("textbox").fill(id);
    await remove.click();
    await says("Deleted permanently").waitFor();
    const left = await server.get<{ bucket: string }[]>("/api/1/trash");
    expect(left.filter(({ bucket }) => bucket === id)).toEqual([]);
  });

  it("is merged as the preview says, and undo takes it back", async () => {
    const into = await addPresence(3);
    const [sample] = await server.get<object[]>(`/api/0/buckets/${into}/events?limit=1`);
    const fresh = { timestamp: "2024-05-01T10:00:00Z", duration: 60, data: { status: "afk" } };
    const old = await server.addBucket("old_laptop", {
      type: "afkstatus",
      events: [fresh, { ...sample, id: undefined }],
    });
    await showList();
    await choose(old, /Merge/);
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Into").selectOption(into);
    await expect.poll(() => dialog.getByRole("definition").allInnerTexts()).toEqual(["2", "1", "1", "0"]);
    expect(await violations(page, "dialog[open]")).toEqual([]);
    await dialog.getByRole("button", { name: "Merge", exact: true }).click();
    await says(`Merged 1 event from ${old} into ${into}`).waitFor();
    expect(await eventsOf(into)).toBe(4);
    await show(`#/buckets/${old}`);
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe(into);
    await page.keyboard.press("Control+z");
    await says(/^Undone: Merged/).waitFor();
    expect([await eventsOf(into), await eventsOf(old)]).toEqual([3, 2]);
  });

  it("is renamed by keyboard alone, and the focus comes back to where it was", async () => {
    const id = await addPresence(1);
    const name = uniqueName("renamed");
    const openByKeys = async () => {
      await page.keyboard.press("Enter");
      await page.getByRole("menuitem", { name: "Open" }).and(page.locator(":focus")).waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.getByLabel("New name").and(page.locator(":focus")).waitFor();
    };
    await showList();
    const opener = button(`Actions for ${id}`);
    await opener.focus();
    await openByKeys();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await opener.and(page.locator(":focus")).waitFor();
    await openByKeys();
    await page.keyboard.press("Control+a");
    await page.keyboard.type(name);
    await page.keyboard.press("Enter");
    await row(name).waitFor();
    expect((await states()).find((bucket) => bucket.id === name)?.aliases).toEqual([id]);
  });

  it("is exported as a document, a table or lines, with every event", async () => {
    const id = await addPresence(50);
    await show("#/buckets?tab=export");
    for (const [format, lines] of [
      ["JSON", undefined],
      ["CSV", 51],
      ["NDJSON", 50],
    ] as const) {
      const saving = page.waitForEvent("download");
      await page.getByRole("link", { name: `Export ${id} as ${format}` }).click();
      const text = readFileSync(await (await saving).path(), "utf-8");
      if (lines === undefined) expect(text).toBe(await exported(id));
      else expect(text.trimEnd().split("\n").length).toBe(lines);
    }
  });

  it("shows what retention would do to it before that is done", async () => {
    const id = await addPresence(20, "of.no.device"); // which does not depend on the buckets of other tests
    await show(`#/buckets?tab=space&bucket=${id}`);
    await page.getByLabel("after").fill("7");
    await button("Preview").click();
    const figures = page.getByRole("table", { name: "Preview" }).getByRole("cell");
    await figures.first().waitFor();
    const [now, after] = (await figures.allInnerTexts()).map((text) => Number(text.replaceAll(",", "")));
    expect([now, after]).toEqual([20, 4]);
    await button("Save").click();
    await button("Apply now").click();
    await says(/^Removed .* by downsampling/).waitFor();
    expect(await eventsOf(id)).toBe(after);
    await page.keyboard.press("Control+z");
    await says(/^Undone: Removed .* by downsampling/).waitFor();
    expect(await eventsOf(id)).toBe(now);
  });
});

describe("the events of a bucket", () => {
  it("are changed and deleted on its page, and undone exactly", async () => {
    const id = await addPresence(3);
    const before = await exported(id);
    await show(`#/buckets/${id}`);
    const events = page.getByRole("region", { name: "Event list" });
    const first = events.getByRole("button").first();
    await expect
      .poll(async () => {
        // The list may be fetched again between the press and the release of the mouse.
        if (!(await button("Edit").isVisible())) await first.click({ timeout: 1000 }).catch(() => undefined);
        return await button("Edit").isVisible();
      })
      .toBe(true);
    await button("Edit").click();
    await page.getByRole("textbox", { name: "Data" }).fill('{"app": "Changed"}');
    await button("Save").click();
    await says("Event changed").waitFor();
    await events.getByText("Changed").waitFor();
    expect(await exported(id)).not.toBe(before);
    await page.keyboard.press("Control+z");
    await says("Undone: Event changed").waitFor();
    expect(await exported(id)).toBe(before);

    await events
      .getByRole("button", { name: /^Delete the event at/ })
      .first()
      .click();
    await says("Event deleted").waitFor();
    expect(await eventsOf(id)).toBe(2);
    await undoByMessage(page, "Event deleted");
    expect(await exported(id)).toBe(before);
  });

  it("that somebody else changed meanwhile are shown, and what was typed is kept", async () => {
    const bucket = await addPresence(3);
    const [{ id } = { id: 0 }] = await server.get<{ id: number }[]>(
      `/api/0/buckets/${bucket}/events?limit=1`,
    );
    await show(`#/buckets/${bucket}?event=${id}`);
    tolerate(/\b412\b/);
    await button("Edit").click();
    await page.getByRole("textbox", { name: "Data" }).waitFor();
    await server.call("PATCH", `/api/1/events/${bucket}/${id}`, { data: { status: "theirs" } });
    await page.getByRole("textbox", { name: "Data" }).fill('{"status": "mine"}');
    await button("Save").click();
    await page.getByRole("alert").getByText('"status": "theirs"').waitFor();
    expect(await page.getByRole("textbox", { name: "Data" }).inputValue()).toContain("mine");
    await button("Save").click();
    await says("Event changed").waitFor();
    const { data } = await server.get<{ data: unknown }>(`/api/1/events/${bucket}/${id}`);
    expect(data).toEqual({ status: "mine" });
  });

  it("come page by page as one goes down, and only those in view are drawn", async () => {
    await show(`#/buckets/${WINDOW}?until=2099-01-01`);
    const events = page.getByRole("region", { name: "Event list" });
    const known = page.getByText(/events loaded$/);
    for (let step = 0; step < 3; step += 1) {
      const before = await known.innerText();
      await events.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await expect.poll(() => known.innerText()).not.toBe(before);
    }
    expect(await events.getByRole("row").count()).toBeLessThan(80);
    await page.getByLabel("Value").fill("marmalade");
    await button("Add filter").click();
    await ready(page);
    expect(await events.getByRole("row").nth(1).innerText()).toContain("marmalade");
    expect(new URL(page.url()).hash).toContain("filter=title%3Ahas%3Amarmalade");
  });
});

describe("an import", () => {
  it("tells what it would do, goes on without its page, can be canceled, and adds nothing twice", async () => {
    const [known, total] = [10_000, 30_000];
    const id = uniqueName("imported");
    await server.post("/api/0/import", exportOf(id, known));
    const file = join(server.folder, `${id}.json`);
    writeFileSync(file, JSON.stringify(exportOf(id, total)));
    const survey = async () => {
      await show("#/buckets?tab=import");
      await page.locator("input[type=file]").setInputFiles(file);
      const sums = page.getByRole("row", { name: /^Total/ }).getByRole("cell");
      await sums.first().waitFor();
      return (await sums.allInnerTexts()).slice(0, 2);
    };
    expect(await survey()).toEqual(["20,000", "10,000"]);
    expect(await violations(page, "main")).toEqual([]);
    // Nothing can be written meanwhile, so that the import is still under way when it is canceled.
    const store = new DatabaseSync(server.database);
    onTestFinished(() => store.close());
    store.exec("BEGIN IMMEDIATE");
    await button("Import 20,000 events").click();
    await page.getByRole("progressbar", { name: /^Import/ }).waitFor();
    await show("#/backups");
    await show("#/buckets");
    await page.getByRole("region", { name: "In progress" }).getByRole("button", { name: "Cancel" }).click();
    store.exec("ROLLBACK");
    await page.getByRole("region", { name: "In progress" }).waitFor({ state: "detached" });
    const [canceled] = (await server.get<{ jobs: Job[] }>("/api/1/jobs")).jobs;
    expect(canceled?.state).toBe("cancelled");
    const [, added = "0"] = /([\d,]+) new event/.exec(canceled?.error?.message ?? "") ?? [];
    const stored = known + Number(added.replaceAll(",", ""));
    expect(await eventsOf(id)).toBe(stored);

    const left = total - stored;
    expect(await survey()).toEqual([left.toLocaleString("en"), stored.toLocaleString("en")]);
    await button(/^Import [\d,]+ events?$/).click();
    await page
      .getByText(`${left.toLocaleString("en")} new · ${stored.toLocaleString("en")} existing`)
      .waitFor();
    expect(await eventsOf(id)).toBe(total);
    expect(await survey()).toEqual(["0", "30,000"]);
    await page.getByText("There is nothing to import").waitFor();
  });

  it("of a file that is no export is refused with a reason", async () => {
    tolerate(/\b400\b/);
    const file = join(server.folder, "broken.json");
    writeFileSync(file, "{ not json");
    await show("#/buckets?tab=import");
    await page.locator("input[type=file]").setInputFiles(file);
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").innerText()).toMatch(/JSON/);
    await button("Choose another file").click();
  });
});

describe("markup in names, titles and addresses", () => {
  /** A bucket whose name is markup, with an event that is there twice and one of a negative duration. */
  async function addMarkup(): Promise<string> {
    const event = { timestamp: "2024-05-01T10:00:00Z", duration: 60 };
    const name = "<img src=x onerror=document.body.dataset.hit=1>";
    const data = { title: name, url: SCRIPT };
    return await server.addBucket(name, {
      client: name,
      type: name,
      events: [
        { ...event, data },
        { ...event, data },
        { ...event, data, duration: -5 },
      ],
    });
  }

  it("is text wherever it is shown", async () => {
    const id = await addMarkup();
    await showList();
    await row(id).waitFor();
    await show(`#/buckets/${encodeURIComponent(id)}`);
    await page.getByRole("region", { name: "Event list" }).getByRole("button").first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(SCRIPT, { exact: true }).waitFor();
    expect(await dialog.getByRole("link", { name: /javascript/ }).count()).toBe(0);
    await page.keyboard.press("Escape");
    await show("#/buckets?tab=doctor");
    await button(`Fix duplicates in ${id}`).waitFor();
    for (const tab of ["export", "space"]) {
      await show(`#/buckets?tab=${tab}`);
      await page.getByText(id).first().waitFor();
    }
    expect(await page.locator("main img").count()).toBe(0);
    expect(await page.evaluate(() => document.body.dataset.hit)).toBeUndefined();
  });

  it("does not keep the doctor from mending what it finds after a look at it, which can be undone", async () => {
    const id = await addMarkup();
    const before = await exported(id);
    await show("#/buckets?tab=doctor");
    await button(`Fix duplicates in ${id}`).click();
    const dialog = page.getByRole("dialog");
    await expect.poll(() => dialog.getByRole("definition").allInnerTexts()).toEqual(["1", "0"]);
    expect(await violations(page, "dialog[open]")).toEqual([]);
    await dialog.getByRole("button", { name: "Fix" }).click();
    await says("Fixed 1 event").waitFor();
    expect(await eventsOf(id)).toBe(2);
    await page.keyboard.press("Control+z");
    await says("Undone: Fixed 1 event").waitFor();
    expect(await exported(id)).toBe(before);
  });
});

/** Two watchers of one device, last heard five minutes ago. */
async function addWatchers(): Promise<{ window: string; afk: string }> {
  const hostname = uniqueName("desk");
  const window = await server.addBucket("aw-watcher-window", { type: "currentwindow", hostname });
  const afk = await server.addBucket("aw-watcher-afk", { type: "afkstatus", hostname });
  for (const bucket of [window, afk]) for (const secondsAgo of [400, 300]) await beat(bucket, secondsAgo);
  return { window, afk };
}

/** A heartbeat of some seconds ago, which makes the event before it reach to that moment. */
async function beat(bucket: string, secondsAgo: number): Promise<void> {
  const data = bucket.includes("afk") ? { status: "not-afk" } : { app: "Code", title: "main.py" };
  await server.post(`/api/0/buckets/${bucket}/heartbeat?pulsetime=600`, {
    timestamp: ago(secondsAgo),
    duration: 0,
    data,
  });
}

function exportOf(id: string, count: number): object {
  const start = Date.parse("2024-01-01T00:00:00Z");
  const events = Array.from({ length: count }, (_, place) => ({
    timestamp: new Date(start + place * 10_000).toISOString(),
    duration: 9,
    data: { app: `App ${place % 40}`, title: `A title of some length, number ${place % 3000}` },
  }));
  const bucket = {
    id,
    type: "currentwindow",
    client: "test",
    hostname: "old",
    created: "2024-01-01T00:00:00Z",
  };
  return { buckets: { [id]: { ...bucket, events } } };
}
