import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeEach, expect, it } from "vitest";
import { violations } from "./axe.ts";
import { open, ready } from "./browser.ts";
import { ROOT } from "./process.ts";
import { Server } from "./server.ts";

let server: Server;
let page: Page;
beforeEach(async () => {
  server = await Server.startForTest({ data: "empty" });
  // The database of an existing server, where that server keeps it for the owner of this home.
  const place = join(server.folder, ".local/share/activitywatch");
  mkdirSync(place, { recursive: true });
  cpSync(join(ROOT, "tests/samples/aw-server-rust"), join(place, "aw-server-rust"), { recursive: true });
  ({ page } = await open(`${server.url}/#/today`));
});

it("an empty store waits for the first heartbeat, and says where it listens and what there is", async () => {
  await page.getByRole("heading", { name: "Waiting for the first heartbeat" }).waitFor();
  const { address } = await server.get<{ address: string }>("/api/1/welcome");
  expect(await page.locator("main code").first().innerText()).toBe(address);
  expect(await page.getByText("Nothing recorded yet").count()).toBeGreaterThan(3);
  await page.getByText("5,801 events in 3 buckets").waitFor();
  expect(await violations(page, "main")).toEqual([]);
});

it("demo data are added, said to be so, and removed again", async () => {
  await page.getByRole("button", { name: "Add demo data" }).click();
  await page.getByText("You are looking at demo data").waitFor();
  await page.locator("[data-figure=active]").waitFor();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByRole("heading", { name: "Waiting for the first heartbeat" }).waitFor();
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
