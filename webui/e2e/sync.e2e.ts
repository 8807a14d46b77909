// Two devices that have each other's buckets, through a folder or a server.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { violations } from "./axe.ts";
import { open } from "./browser.ts";
import { environment, PYTHON } from "./process.ts";
import { ago, Server } from "./server.ts";

let laptop: Server;
let desktop: Server;
const folder = mkdtempSync(join(tmpdir(), "space-"));
const event = (seconds: number) => ({
  timestamp: ago(seconds),
  duration: 60,
  data: { app: "Editor", title: "notes" },
});
async function record(server: Server, hostname: string) {
  const path = `/api/0/buckets/aw-watcher-window_${hostname}`;
  await server.post(path, { client: "test", type: "currentwindow", hostname });
  await server.post(`${path}/events`, [event(600)]);
}
beforeAll(async () => {
  [laptop, desktop] = await Promise.all([Server.start({ data: "empty" }), Server.start({ data: "empty" })]);
  await Promise.all([record(laptop, "laptop"), record(desktop, "desktop")]);
});
afterAll(async () => {
  await Promise.all([laptop.stop(), desktop.stop()]);
  rmSync(folder, { recursive: true });
});

it("shows what each device has, from the first invite to the last goodbye", async () => {
  const first = await open(`${laptop.url}/#/settings/devices?at=sync`);
  await first.page.getByRole("button", { name: "Start on this device…" }).click();
  await first.page.getByLabel("Location").fill(folder);
  await first.page.getByRole("button", { name: "Start", exact: true }).click();
  const invite = await first.page.locator("[data-secret]").innerText();
  expect(invite).toMatch(/^dayline-sync_/);
  expect(await violations(first.page)).toEqual([]);
  await first.page.getByRole("button", { name: "Close" }).last().click();
  await first.page.getByText("No other device has joined yet.").waitFor();

  const second = await open(`${desktop.url}/#/settings/devices?at=sync`);
  await second.page.getByRole("button", { name: "Join with an invite…" }).click();
  await second.page.getByLabel("Location").fill(folder);
  await second.page
    .getByRole("textbox", { name: "Invite" })
    .or(second.page.getByLabel("Invite"))
    .first()
    .fill(invite);
  await second.page.getByRole("button", { name: "Show devices" }).click();
  await second.page
    .getByText(/1 events? in 1 bucket/)
    .first()
    .waitFor();
  await second.page.getByRole("button", { name: "Join", exact: true }).click();
  await second.page.getByText("identical").waitFor();
  expect(await violations(second.page)).toEqual([]);

  await first.page.getByRole("button", { name: "Sync now" }).click();
  await first.page.getByText("identical").waitFor();
  const buckets = await laptop.get<Record<string, unknown>>("/api/0/buckets/");
  expect(Object.keys(buckets).some((id) => id.startsWith("aw-watcher-window_desktop@"))).toBe(true);

  await second.page.getByRole("button", { name: "Leave…" }).click();
  await second.page.getByRole("dialog").getByRole("button", { name: "Leave…" }).click();
  await second.page.getByRole("button", { name: "Join with an invite…" }).waitFor();
});

it("says what is wrong with an invite, and writes nothing", async () => {
  const { page, tolerate } = await open(`${desktop.url}/#/settings/devices?at=sync`);
  tolerate(/\b422\b/);
  await page.getByRole("button", { name: "Join with an invite…" }).click();
  await page.getByLabel("Location").fill(folder);
  await page.getByLabel("Invite").first().fill("dayline-sync_wrong");
  await page.getByRole("button", { name: "Show devices" }).click();
  await page.getByRole("alert").getByText("this is not an invite").waitFor();
});

it("starts a space on a server, which may need a key", async () => {
  const { page } = await open(`${desktop.url}/#/settings/devices?at=sync`);
  await page.getByRole("button", { name: "Start on this device…" }).click();
  await page.getByLabel("Location").fill("webdav+https://anna@nas/files");
  await page.getByLabel("Password").waitFor();
  await page.getByLabel("Location").fill(laptop.url);
  await page.getByLabel("Key of the server").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.locator("[data-secret]").waitFor();
  await page.getByRole("button", { name: "Close" }).last().click();
  await page.getByText(`Through ${laptop.url}`).waitFor();
  const files = await laptop.get<{ devices: Record<string, unknown> }>("/api/1/sync/files");
  expect(Object.keys(files.devices)).toHaveLength(1);
});

it("adds a folder of ActivityWatch, stops reading it, and takes that back", async () => {
  const parent = mkdtempSync(join(tmpdir(), "source-"));
  const source = join(parent, "ActivityWatchSync");
  const code = "import sys; from pathlib import Path; from tests.maintenance.sources.folders import sample";
  const made = spawnSync(PYTHON, ["-c", `${code}; sample(Path(sys.argv[1]))`, source], {
    env: environment(parent),
    encoding: "utf-8",
  });
  expect(made.stderr).toBe("");
  const { page } = await open(`${desktop.url}/#/settings/devices?at=sync`);
  await page.getByRole("button", { name: "Add a folder of ActivityWatch…" }).click();
  await page.getByLabel("Location").fill(source);
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByText(source).waitFor();

  await page.getByRole("button", { name: "Stop reading" }).click();
  await page.getByText("is not read any more").waitFor();
  expect(await desktop.get<{ sources: unknown[] }>("/api/1/sync/sources")).toMatchObject({ sources: [] });
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Stop reading" }).waitFor();
  rmSync(parent, { recursive: true });
});
