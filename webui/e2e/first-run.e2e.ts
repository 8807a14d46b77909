import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import type { Page } from "playwright-core";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { violations } from "./axe.ts";
import { open, openWatched, ready } from "./browser.ts";
import { countClicks } from "./clicks.ts";
import { ROOT } from "./process.ts";
import { startKeyed } from "./keyed.ts";
import { Server } from "./server.ts";

const hasXvfb = () => spawnSync("Xvfb", ["-help"]).error === undefined;

/** An X server without a screen; it chooses a number that is free. */
async function startXvfb(): Promise<{ display: string; end: () => void }> {
  const stdio = ["ignore", "ignore", "ignore", "pipe"] as const;
  const child = spawn("Xvfb", ["-displayfd", "3", "-nolisten", "tcp"], { stdio: [...stdio] });
  const numbers = child.stdio[3];
  if (!(numbers instanceof Readable)) throw new Error("Xvfb has no output");
  const number = await new Promise<string>((resolve) => createInterface(numbers).once("line", resolve));
  return { display: `:${number}`, end: () => void child.kill() };
}

let server: Server;
let page: Page;
beforeEach(async () => {
  server = await Server.startForTest({ data: "empty" });
  // The database of an existing server, where that server keeps it for the owner of this home.
  const place = join(server.folder, ".local/share/activitywatch");
  mkdirSync(place, { recursive: true });
  cpSync(join(ROOT, "tests/support/maintenance/samples/aw-server-rust"), join(place, "aw-server-rust"), {
    recursive: true,
  });
  ({ page } = await open(`${server.url}/#/today`));
});

it("an empty store offers how to begin, and says where it listens and what there is", async () => {
  await page.getByRole("heading", { name: "Choose how to begin" }).waitFor();
  const { address } = await server.get<{ address: string }>("/api/1/welcome");
  await expect.poll(() => page.locator("main code").first().innerText()).toBe(address);
  await expect.poll(() => page.getByText("Nothing recorded yet").count()).toBeGreaterThan(3);
  await page.getByText("5,801 events in 3 buckets").waitFor();
  expect(await violations(page, "main")).toEqual([]);
});

it("on another computer it names the address that watchers there send to", async () => {
  const keyed = await startKeyed();
  onTestFinished(() => keyed.server.stop());
  const other = await openWatched(`${keyed.server.url}/#/welcome`);
  other.tolerate(/\b401\b/);
  await other.page.setExtraHTTPHeaders({ "X-Forwarded-For": "192.0.2.17" });
  await other.page.getByLabel("Key", { exact: true }).fill(await keyed.key("full"));
  await other.page.keyboard.press("Enter");
  const header = other.page.getByText(/Watchers on your computer need a key and send to/);
  await header.waitFor();
  expect(await header.locator("code").innerText()).toBe(keyed.server.url);
  expect(await other.page.getByText("Watchers on this computer").count()).toBe(0);
});

it("a server without a desktop says why it cannot record, and what to do instead", async () => {
  const panel = page.getByRole("region", { name: "Record this computer" });
  await panel.getByText(/no desktop session/).waitFor();
  await panel.getByRole("link", { name: "ActivityWatch’s watchers" }).waitFor();
  expect(await panel.getByRole("button").count()).toBe(0);
});

it.skipIf(!hasXvfb())("one click records this computer and shows the first event", async () => {
  const { display, end } = await startXvfb();
  onTestFinished(end);
  const recorded = await Server.startForTest({ data: "empty", variables: { DISPLAY: display } });
  ({ page } = await open(`${recorded.url}/#/welcome`));
  const panel = page.getByRole("region", { name: "Record this computer" });
  const record = panel.getByRole("button", { name: "Record this computer" });
  await record.waitFor();
  expect(await violations(page, "main")).toEqual([]);
  await record.focus();
  await page.keyboard.press("Enter");
  await panel.locator("[data-first-event]").waitFor();
  await panel.getByText(/^Recording since /).waitFor();
  expect(await violations(page, "main")).toEqual([]);

  await page.goto(`${recorded.url}/#/settings/devices`);
  const toggle = page.getByRole("switch", { name: "Record this computer" });
  await toggle.waitFor();
  expect(await toggle.getAttribute("aria-checked")).toBe("true");
  expect(await violations(page, "main")).toEqual([]);
  await toggle.click();
  await expect
    .poll(async () => (await recorded.get<{ state: string }>("/api/1/recording")).state)
    .toBe("off");
  await page.goto(`${recorded.url}/#/welcome`);
  await record.waitFor();
});

const database = () => join(server.folder, ".local/share/activitywatch/aw-server-rust/sqlite.db");

/** The database, as the browser hands it over when it is dropped. */
const droppedDatabase = () =>
  page.evaluateHandle((base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], "sqlite.db"));
    return transfer;
  }, readFileSync(database()).toString("base64"));

it("a database is dropped, previewed, imported and removed again by undo", async () => {
  const panel = page.getByRole("region", { name: "Import what you have" });
  const dataTransfer = await droppedDatabase();
  await panel.getByRole("group", { name: "Files to import" }).dispatchEvent("drop", { dataTransfer });
  await panel.getByText("5,801 new events").waitFor();
  expect(await violations(page, "main")).toEqual([]);
  await panel.getByRole("button", { name: "Import 5,801 events" }).click();
  await page.getByText("Import complete and verified: 5,801 new").waitFor();
  await page.getByText("Imported 5,801 events", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(async () => Object.keys(await server.get<object>("/api/0/buckets/"))).toEqual([]);
});

it("a database is imported in three clicks from Today", async () => {
  const clicks = await countClicks(page);
  await page.getByRole("link", { name: "Buckets" }).click();
  const choosing = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Import a file…" }).click();
  await (await choosing).setFiles(database());
  await page.getByRole("button", { name: "Import 5,801 events" }).click();
  await page.getByText("Imported 5,801 events", { exact: true }).waitFor();
  expect(await clicks()).toBe(3);
});

it("a database dropped on any page is previewed before it is imported", async () => {
  await page.goto(`${server.url}/#/settings`);
  await ready(page);
  const dataTransfer = await droppedDatabase();
  await page.getByRole("main").dispatchEvent("dragover", { dataTransfer });
  await page.getByText("Drop to import").waitFor();
  await page.getByRole("main").dispatchEvent("drop", { dataTransfer });
  await page.getByText("5,801 new events").waitFor();
  expect(await page.getByText("Drop to import").count()).toBe(0);
  expect(await server.get<object>("/api/0/buckets/")).toEqual({});
});

it("a file that cannot be imported is refused with a reason", async () => {
  const file = join(server.folder, "notes.txt");
  writeFileSync(file, "not an export");
  const watched = await open(`${server.url}/#/welcome`);
  watched.tolerate(/\b422\b/);
  await watched.page.locator("input[type=file]").setInputFiles(file);
  const alert = watched.page.getByRole("alert");
  await alert.getByText(/neither a database, a JSON export nor an archive/).waitFor();
  expect(await alert.innerText()).not.toContain(server.folder);
  await watched.page.getByRole("button", { name: "Choose another file" }).click();
});

it("demo data end on a full day, are said to be so, and removed again", async () => {
  await page.getByRole("button", { name: "Add demo data" }).click();
  await page.getByText("You are looking at demo data").waitFor();
  expect(new URL(page.url()).hash).toMatch(/^#\/today\?date=\d{4}-\d\d-\d\d$/);
  await page.locator("[data-figure=active]").waitFor();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByRole("heading", { name: "Choose how to begin" }).waitFor();
  const { demo } = await server.get<{ demo: { present: boolean } }>("/api/1/welcome");
  expect(demo.present).toBe(false);
});

it("existing data are brought along with one click, and proven to be all here", async () => {
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText("Import complete and verified: 5,801 new").waitFor();
  const proof = page.getByRole("region", { name: "Verified buckets" });
  expect(await proof.getByRole("row").count()).toBe(4);
  expect(await violations(page, "main")).toEqual([]);
  await page.getByRole("link", { name: "Open Today" }).click();
  await ready(page);
  await page.getByRole("button", { name: /^Go to .*2025$/ }).click();
  await page.getByRole("listbox").waitFor();
});

it("a watcher lights up as soon as it records", async () => {
  await page.goto(`${server.url}/#/welcome`);
  const line = page.getByRole("listitem").filter({ hasText: "aw-watcher-vscode" });
  await line.getByText("Nothing recorded yet").waitFor();
  await server.post("/api/0/buckets/aw-watcher-vscode_laptop", {
    client: "aw-watcher-vscode",
    type: "app.editor.activity",
    hostname: "laptop",
  });
  await server.post("/api/0/buckets/aw-watcher-vscode_laptop/heartbeat?pulsetime=60", {
    timestamp: new Date().toISOString(),
    duration: 0,
    data: { file: "main.py", project: "dayline", language: "python" },
  });
  await line.getByText("Recording", { exact: true }).waitFor();
  await page.getByRole("heading", { name: "Dayline is recording" }).waitFor();
});

it("imported data of long ago is shown with its date, and nobody as away since then", async () => {
  const data = { currentwindow: { app: "Almanac", title: "x" }, afkstatus: { status: "afk" } };
  for (const [type, said] of Object.entries(data)) {
    const path = `/api/0/buckets/${type}_host`;
    await server.post(path, { client: "aw-watcher", type, hostname: "host" });
    await server.post(`${path}/events`, [{ timestamp: "2025-01-02T19:00:00Z", duration: 60, data: said }]);
  }
  await page.reload();
  const now = page.getByRole("region", { name: "Now" });
  await now.getByText("Not recording").waitFor();
  expect(await now.innerText()).toMatch(/last recorded .*2025/);
  expect(await now.innerText()).not.toContain("Away");
  await page.goto(`${server.url}/#/welcome`);
  const line = page.getByRole("listitem").filter({ hasText: "aw-watcher-window" });
  await line.getByText(/last recorded .*2025/).waitFor();
});
