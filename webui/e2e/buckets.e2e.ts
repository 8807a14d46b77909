import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { contrastViolations, violations } from "./axe.ts";
import { expectNoOverflow, open, ready, type Watched } from "./browser.ts";
import { Server } from "./server.ts";

interface State {
  id: string;
  device: string;
  events: number;
  health: string;
  aliases: string[];
}
interface Job {
  state: string;
  result: { imported: number; skipped: number } | null;
  error: { message: string } | null;
}

const WINDOW = "aw-watcher-window_laptop";
const AWAY = "aw-watcher-afk_laptop";
const EDITOR = "aw-watcher-vscode_desktop";
const BROWSER = "aw-watcher-web-chrome_desktop";
const SOON = { timeout: 10_000 };
const MARKUP = "<img src=x onerror=document.body.dataset.hit=1>";
const SCRIPT = "javascript:document.body.dataset.hit=1";

describe("buckets", () => {
  let server: Server;
  let at: Watched;
  beforeAll(async () => {
    server = await Server.start();
    await beginToWatch(server);
    at = await open(`${server.url}/#/buckets`);
  });
  afterAll(async () => {
    await at.close();
    await server.stop();
  });
  afterEach(() => expect(at.problems).toEqual([]));

  async function show(hash: string): Promise<void> {
    await at.page.evaluate((next) => (location.hash = next), hash);
    await ready(at.page);
  }
  const states = async () => (await server.get<{ buckets: State[] }>("/api/1/buckets")).buckets;
  const eventsOf = async (id: string) => (await states()).find((bucket) => bucket.id === id)?.events;
  const exported = async (id: string) => (await fetch(`${server.url}/api/0/buckets/${id}/export`)).text();
  const row = (id: string) =>
    at.page.getByRole("row").filter({ has: at.page.getByRole("link", { name: id, exact: true }) });
  const button = (name: string | RegExp) => at.page.getByRole("button", { name });
  const says = (text: string | RegExp) =>
    at.page.getByRole("status").getByText(text, { exact: typeof text === "string" });

  async function choose(id: string, what: string | RegExp): Promise<void> {
    await button(`What to do with ${id}`).click();
    await at.page.getByRole("menuitem", { name: what }).click();
  }

  it("the list has every bucket under its device, with its events and how its watcher is", async () => {
    const all = await states();
    for (const bucket of all) {
      const text = await row(bucket.id).innerText();
      expect(text).toContain(bucket.events.toLocaleString("en"));
      expect(text).toContain(bucket.health);
    }
    expect(await at.page.getByRole("rowheader", { name: /^laptop demo data 4 buckets/ }).count()).toBe(1);
    const total = all.reduce((sum, bucket) => sum + bucket.events, 0);
    expect(await at.page.locator("main").innerText()).toContain(`${total.toLocaleString("en")} events`);
    expect(await row("aw-watcher-afk_desk").innerText()).toContain("recording");
  });

  it("a deleted bucket is in the trash, and Ctrl Z or the trash brings it back byte for byte", async () => {
    const before = await exported(EDITOR);
    await choose(EDITOR, "Delete");
    await says(`Moved ${EDITOR} to the trash`).waitFor();
    await row(EDITOR).waitFor({ state: "detached" });
    await at.page.keyboard.press("Control+z");
    await row(EDITOR).waitFor();
    expect(await exported(EDITOR)).toBe(before);

    await choose(EDITOR, "Delete");
    await row(EDITOR).waitFor({ state: "detached" });
    await show("#/buckets?tab=trash");
    await button(`Restore: Bucket deleted with`).click();
    await button(`Restore: Bucket deleted with`).waitFor({ state: "detached" });
    expect(await exported(EDITOR)).toBe(before);
  });

  it("nothing leaves the trash for good before its name is typed", async () => {
    await server.call("DELETE", `/api/0/buckets/${BROWSER}`);
    await show("#/buckets");
    await show("#/buckets?tab=trash");
    await button(/Remove for good: Bucket deleted/).click();
    const remove = at.page.getByRole("dialog").getByRole("button", { name: "Remove for good" });
    expect(await remove.isDisabled()).toBe(true);
    await at.page.getByRole("dialog").getByRole("textbox").fill("aw-watcher-web");
    expect(await remove.isDisabled()).toBe(true);
    expect(await violations(at.page, "dialog")).toEqual([]);
    await at.page.getByRole("dialog").getByRole("textbox").fill(BROWSER);
    await remove.click();
    await says("Removed for good").waitFor();
    expect(await server.get("/api/1/trash")).toEqual([]);
    await at.page.getByText("The trash is empty").waitFor();
  });

  it("an event is changed and deleted on the page of its bucket, and undone exactly", async () => {
    const before = await exported(AWAY);
    await show(`#/buckets/${AWAY}`);
    const events = at.page.getByRole("region", { name: "List of events" });
    await events.getByRole("button").first().click();
    await button("Edit").click();
    await at.page.getByRole("textbox", { name: "Data" }).fill('{"app": "Changed"}');
    await button("Save").click();
    await events.getByText("Changed").waitFor();
    expect(await exported(AWAY)).not.toBe(before);
    await at.page.keyboard.press("Control+z");
    await says("Undone: Changed an event").waitFor();
    expect(await exported(AWAY)).toBe(before);

    await events
      .getByRole("button", { name: /^Delete the event of/ })
      .first()
      .click();
    await says("Deleted an event").waitFor();
    expect(await eventsOf(AWAY)).toBe(before.split('"timestamp"').length - 2);
    await button(/^Undo/).first().click();
    await says("Undone: Deleted an event").waitFor();
    expect(await exported(AWAY)).toBe(before);
  });

  it("a change that somebody else made meanwhile is shown, and what was typed is kept", async () => {
    const [{ id } = { id: 0 }] = await server.get<{ id: number }[]>(`/api/0/buckets/${AWAY}/events?limit=1`);
    await show(`#/buckets/${AWAY}?event=${id}`);
    await button("Edit").click();
    await server.call("PATCH", `/api/1/events/${AWAY}/${id}`, { data: { status: "theirs" } });
    await at.page.getByRole("textbox", { name: "Data" }).fill('{"status": "mine"}');
    await button("Save").click();
    await at.page.getByRole("alert").getByText('"status": "theirs"').waitFor();
    at.forgive();
    expect(await at.page.getByRole("textbox", { name: "Data" }).inputValue()).toContain("mine");
    await button("Save").click();
    await says("Changed an event").waitFor();
    const { data } = await server.get<{ data: unknown }>(`/api/1/events/${AWAY}/${id}`);
    expect(data).toEqual({ status: "mine" });
  });

  it("events come page by page as one goes down, and only those in view are drawn", async () => {
    await show(`#/buckets/${WINDOW}?until=2099-01-01`);
    const events = at.page.getByRole("region", { name: "List of events" });
    for (let step = 0; step < 3; step += 1) {
      const known = await at.page.getByText(/events so far$/).innerText();
      await events.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await expect.poll(() => at.page.getByText(/events so far$/).innerText(), SOON).not.toBe(known);
    }
    expect(await events.getByRole("row").count()).toBeLessThan(80);
    await at.page.getByLabel("What to look for").fill("marmalade");
    await button("Filter").click();
    await ready(at.page);
    expect(await events.getByRole("row").nth(1).innerText()).toContain("marmalade");
    expect(new URL(at.page.url()).hash).toContain("filter=title%3Ahas%3Amarmalade");
  });

  it("the preview of a merge is what it then does, and undo takes it back", async () => {
    await server.post("/api/0/buckets/old_laptop", { client: "c", type: "afkstatus", hostname: "old" });
    const [sample] = await server.get<unknown[]>(`/api/0/buckets/${AWAY}/events?limit=1`);
    const fresh = { timestamp: "2024-05-01T10:00:00Z", duration: 60, data: { status: "afk" } };
    await server.post("/api/0/buckets/old_laptop/events", [fresh, { ...(sample as object), id: undefined }]);
    const before = await eventsOf(AWAY);
    await show("#/buckets");
    await choose("old_laptop", /Merge/);
    const dialog = at.page.getByRole("dialog");
    await dialog.getByLabel("Into").selectOption(AWAY);
    await expect
      .poll(() => dialog.getByRole("definition").allInnerTexts(), SOON)
      .toEqual(["2", "1", "1", "0"]);
    expect(await violations(at.page, "dialog")).toEqual([]);
    await dialog.getByRole("button", { name: "Merge", exact: true }).click();
    await says(`Merged 1 event of old_laptop into ${AWAY}`).waitFor();
    expect(await eventsOf(AWAY)).toBe((before ?? 0) + 1);
    await show("#/buckets/old_laptop");
    expect(await at.page.getByRole("heading", { level: 1 }).innerText()).toBe(AWAY);
    await at.page.keyboard.press("Control+z");
    await says(/^Undone: Merged/).waitFor();
    expect([await eventsOf(AWAY), await eventsOf("old_laptop")]).toEqual([before, 2]);
  });

  it("a bucket is renamed by keyboard alone, and the focus comes back to where it was", async () => {
    const openByKeys = async () => {
      await at.page.keyboard.press("Enter");
      await at.page.getByRole("menuitem", { name: "Open" }).and(at.page.locator(":focus")).waitFor();
      await at.page.keyboard.press("ArrowDown");
      await at.page.keyboard.press("Enter");
      await at.page.getByLabel("New name").and(at.page.locator(":focus")).waitFor();
    };
    await show("#/buckets");
    const opener = button("What to do with old_laptop");
    await opener.focus();
    await openByKeys();
    await at.page.keyboard.press("Escape");
    await at.page.getByRole("dialog").waitFor({ state: "detached" });
    await opener.and(at.page.locator(":focus")).waitFor();
    await openByKeys();
    await at.page.keyboard.press("Control+a");
    await at.page.keyboard.type("older");
    await at.page.keyboard.press("Enter");
    await row("older").waitFor();
    expect((await states()).find(({ id }) => id === "older")?.aliases).toEqual(["old_laptop"]);
  });

  it("an import tells what it would do, goes on without its page, can be cancelled, and adds nothing twice", async () => {
    const total = 30_000;
    const file = join(server.folder, "export.json");
    writeFileSync(file, exportOf("imported", total));
    const survey = async () => {
      await show("#/buckets?tab=import");
      await at.page.locator("input[type=file]").setInputFiles(file);
      const sums = at.page.getByRole("row", { name: /^Together/ }).getByRole("cell");
      await sums.first().waitFor();
      return (await sums.allInnerTexts()).slice(0, 2);
    };
    expect(await survey()).toEqual(["30,000", "0"]);
    expect(await violations(at.page, "main")).toEqual([]);
    await button("Import 30,000 events").click();
    await at.page.getByRole("progressbar", { name: /^Import/ }).waitFor();
    await show("#/backups");
    await show("#/buckets");
    await at.page.getByRole("region", { name: "Under way" }).getByRole("button", { name: "Cancel" }).click();
    await at.page.getByRole("region", { name: "Under way" }).waitFor({ state: "detached" });
    const [cancelled] = (await server.get<{ jobs: Job[] }>("/api/1/jobs")).jobs;
    expect(cancelled?.state).toBe("cancelled");
    const stored = Number(
      /([\d,]+) new event/.exec(cancelled?.error?.message ?? "")?.[1]?.replaceAll(",", ""),
    );
    expect((await eventsOf("imported")) ?? 0).toBe(stored);

    const left = total - stored;
    expect(await survey()).toEqual([left.toLocaleString("en"), stored.toLocaleString("en")]);
    await button(/^Import [\d,]+ events?$/).click();
    await at.page
      .getByText(`${left.toLocaleString("en")} new · ${stored.toLocaleString("en")} known`)
      .waitFor({ timeout: 25_000 });
    expect(await eventsOf("imported")).toBe(total);
    expect(await survey()).toEqual(["0", "30,000"]);
    await at.page.getByText("There is nothing to import").waitFor();
  }, 60_000);

  it("a bucket is exported as a document, a table or lines, with every event", async () => {
    await show("#/buckets?tab=export");
    const total = await eventsOf(AWAY);
    for (const [format, lines] of [
      ["JSON", undefined],
      ["CSV", (total ?? 0) + 1],
      ["NDJSON", total],
    ] as const) {
      const saving = at.page.waitForEvent("download");
      await at.page.getByRole("link", { name: `Export ${AWAY} as ${format}` }).click();
      const text = readFileSync(await (await saving).path(), "utf-8");
      if (lines === undefined) expect(text).toBe(await exported(AWAY));
      else expect(text.trimEnd().split("\n").length).toBe(lines);
    }
  });

  it("a file that is no export is refused with a reason", async () => {
    const file = join(server.folder, "broken.json");
    writeFileSync(file, "{ not json");
    await show("#/buckets");
    await show("#/buckets?tab=import");
    await at.page.locator("input[type=file]").setInputFiles(file);
    await at.page.getByRole("alert").waitFor();
    expect(await at.page.getByRole("alert").innerText()).toMatch(/JSON/);
    await button("Choose another file").click();
    at.forgive();
  });

  it("markup in names, titles and addresses is text wherever it is shown", async () => {
    const path = `/api/0/buckets/${encodeURIComponent(MARKUP)}`;
    await server.post(path, { client: MARKUP, type: MARKUP, hostname: MARKUP });
    const event = { timestamp: "2024-05-01T10:00:00Z", duration: 60, data: { title: MARKUP, url: SCRIPT } };
    await server.post(`${path}/events`, [event, event, { ...event, duration: -5 }]);
    await show("#/buckets");
    await row(MARKUP).waitFor();
    await show(`#/buckets/${encodeURIComponent(MARKUP)}`);
    await at.page.getByRole("region", { name: "List of events" }).getByRole("button").first().click();
    const dialog = at.page.getByRole("dialog");
    await dialog.getByText(SCRIPT, { exact: true }).waitFor();
    expect(await dialog.getByRole("link", { name: /javascript/ }).count()).toBe(0);
    await at.page.keyboard.press("Escape");
    await show("#/buckets?tab=doctor");
    await button(`Mend duplicates in ${MARKUP}`).waitFor();
    for (const tab of ["export", "space"]) {
      await show(`#/buckets?tab=${tab}`);
      await at.page.getByText(MARKUP).first().waitFor();
    }
    expect(await at.page.locator("main img").count()).toBe(0);
    expect(await at.page.evaluate(() => document.body.dataset.hit)).toBeUndefined();
  });

  it("what the doctor finds is mended after a look at it, and undone", async () => {
    const before = await exported(encodeURIComponent(MARKUP));
    await show("#/buckets?tab=doctor");
    await button(`Mend duplicates in ${MARKUP}`).click();
    const dialog = at.page.getByRole("dialog");
    await expect.poll(() => dialog.getByRole("definition").allInnerTexts(), SOON).toEqual(["1", "0"]);
    expect(await violations(at.page, "dialog")).toEqual([]);
    await dialog.getByRole("button", { name: "Mend" }).click();
    await says("Mended 1 event").waitFor();
    expect(await eventsOf(MARKUP)).toBe(2);
    await at.page.keyboard.press("Control+z");
    await says("Undone: Mended 1 event").waitFor();
    expect(await exported(encodeURIComponent(MARKUP))).toBe(before);
  });

  it("retention shows what it would do before it is done", async () => {
    await show(`#/buckets?tab=space&thin=${AWAY}`);
    await at.page.getByLabel("after").fill("7");
    await button("Preview").click();
    const figures = at.page.getByRole("table", { name: "What the rules would do" }).getByRole("cell");
    await figures.first().waitFor();
    const [now, after] = (await figures.allInnerTexts()).map((text) => Number(text.replaceAll(",", "")));
    expect(now).toBe(await eventsOf(AWAY));
    await button("Save").click();
    await button("Apply now").click();
    await says(/^Thinned/).waitFor();
    expect(await eventsOf(AWAY)).toBe(after);
    await at.page.keyboard.press("Control+z");
    await says(/^Undone: Thinned/).waitFor();
    expect(await eventsOf(AWAY)).toBe(now);
  });

  it("axe finds nothing on any part in either theme", async () => {
    const parts = [`/${WINDOW}`, "?tab=trash", "?tab=import", "?tab=export", "?tab=doctor", "?tab=space"];
    for (const part of parts) {
      await at.page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      await show(`#/buckets${part}`);
      expect([part, await violations(at.page, "main")]).toEqual([part, []]);
      await at.page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
      expect([part, await contrastViolations(at.page, "main")]).toEqual([part, []]);
    }
  }, 60_000);

  it("nothing is cut off on a narrow screen", async () => {
    await at.page.setViewportSize({ width: 320, height: 800 });
    for (const hash of [
      "",
      `/${WINDOW}`,
      "?tab=trash",
      "?tab=import",
      "?tab=export",
      "?tab=doctor",
      "?tab=space",
    ]) {
      await show(`#/buckets${hash}`);
      await expectNoOverflow(at.page);
    }
    await at.page.setViewportSize({ width: 1280, height: 900 });
  });

  it("addresses of the existing web UI lead to the same bucket", async () => {
    await show("#/rawdata");
    expect(await at.page.locator("main").getAttribute("data-page")).toBe("buckets");
    await show(`#/buckets/${WINDOW}`);
    expect(await at.page.getByRole("heading", { level: 1 }).innerText()).toBe(WINDOW);
  });

  it("a watcher that stops while others record is called silent after three intervals: row, banner and badge follow", async () => {
    await show("#/buckets");
    await expect
      .poll(
        async () => {
          await beat(server, "aw-watcher-window_desk", 0);
          return row("aw-watcher-afk_desk").innerText();
        },
        { timeout: 40_000, interval: 1000 },
      )
      .toContain("silent");
    await at.page.getByText("1 watcher is silent").waitFor();
    expect(await at.page.getByRole("link", { name: /^Buckets 1/ }).innerText()).toContain("1");
    await button("Fix aw-watcher-afk_desk").click();
    expect(await violations(at.page, "dialog")).toEqual([]);
    await at.page.keyboard.press("Escape");
  }, 60_000);
});

it("an empty store says on every part why there is nothing, and what to do", async () => {
  const server = await Server.start({ data: "empty" });
  const { page, close } = await open(`${server.url}/#/buckets`);
  const main = page.locator("main");
  await main.getByRole("link", { name: "Set up the first watcher" }).waitFor();
  for (const [tab, sentence] of [
    ["trash", "The trash is empty"],
    ["import", "Drop an export here"],
    ["export", "There is nothing to export yet"],
    ["doctor", "Nothing looks wrong"],
    ["space", "nothing is thinned"],
  ]) {
    await page.evaluate((next) => (location.hash = `#/buckets?tab=${next}`), tab);
    await main.getByText(sentence ?? "").waitFor();
    expect(await main.getByRole("button").or(main.locator("section a")).count()).toBeGreaterThan(0);
    expect(await main.getByRole("alert").count()).toBe(0);
  }
  await close();
  await server.stop();
});

/** Two watchers of one device, of which one has nothing more to say. */
async function beginToWatch(server: Server): Promise<void> {
  for (const [id, type] of [
    ["aw-watcher-window_desk", "currentwindow"],
    ["aw-watcher-afk_desk", "afkstatus"],
  ])
    await server.post(`/api/0/buckets/${id}`, { client: "test", type, hostname: "desk" });
  await beat(server, "aw-watcher-window_desk", 120);
  await beat(server, "aw-watcher-window_desk", 0);
  await beat(server, "aw-watcher-afk_desk", 120);
  await beat(server, "aw-watcher-afk_desk", 12);
}

/** A heartbeat of some seconds ago, which makes the event before it reach to that moment. */
async function beat(server: Server, bucket: string, secondsAgo: number): Promise<void> {
  const timestamp = new Date(Date.now() - secondsAgo * 1000).toISOString();
  const data = bucket.includes("afk") ? { status: "not-afk" } : { app: "Code", title: "main.py" };
  await server.post(`/api/0/buckets/${bucket}/heartbeat?pulsetime=600`, { timestamp, duration: 0, data });
}

function exportOf(id: string, count: number): string {
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
  return JSON.stringify({ buckets: { [id]: { ...bucket, events } } });
}
