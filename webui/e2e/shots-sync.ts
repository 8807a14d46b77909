// Pictures of every state of sync and of its dialogs: build/screenshots/sync-<state>-<theme>-<width>.png
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Page } from "playwright-core";
import { launch, ready } from "./launch.ts";
import { ROOT } from "./process.ts";
import { ServerProcess } from "./server-process.ts";

const output = resolve(ROOT, "build/screenshots");
mkdirSync(output, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), "dayline-shots-"));
const space = join(folder, "space");
const browser = await launch();

const LOOKS = [
  { theme: "light", width: 1024, locale: "en-GB" },
  { theme: "dark", width: 390, locale: "en-GB" },
  { theme: "light", width: 390, locale: "de-DE" },
] as const;

async function call<T>(server: ServerProcess, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text || "null") as T;
}

const run = (server: ServerProcess) => call(server, "POST", "/api/1/sync/run");

async function record(server: ServerProcess, hostname: string, minutesAgo: number): Promise<void> {
  const timestamp = new Date(Date.now() - minutesAgo * 60_000).toISOString();
  const event = { timestamp, duration: 60, data: { app: "Editor", title: `notes ${minutesAgo}` } };
  await call(server, "POST", `/api/0/buckets/aw-watcher-window_${hostname}/events`, [event]);
}

/** A device with some events. */
async function device(hostname: string): Promise<ServerProcess> {
  mkdirSync(join(folder, hostname));
  const server = await ServerProcess.start(join(folder, hostname, "dayline.db"));
  const body = { client: "test", type: "currentwindow", hostname };
  await call(server, "POST", `/api/0/buckets/aw-watcher-window_${hostname}`, body);
  for (let hour = 1; hour < 40; hour += 1) await record(server, hostname, hour * 60);
  return server;
}

/** Take the page of sync as it is now, after an action on it. */
async function shoot(
  server: ServerProcess,
  state: string,
  act?: (page: Page) => Promise<unknown>,
): Promise<void> {
  for (const { theme, width, locale } of LOOKS) {
    const context = await browser.newContext({
      viewport: { width, height: width < 720 ? 1400 : 900 },
      colorScheme: theme,
      reducedMotion: "reduce",
      locale,
    });
    const page = await context.newPage();
    await page.goto(`${server.url}/#/settings/devices?at=sync`);
    await ready(page);
    if (locale === "en-GB") await act?.(page);
    const language = locale === "en-GB" ? "" : "-german";
    if (locale === "en-GB" || !act)
      await page.screenshot({ path: join(output, `sync-${state}-${theme}-${width}${language}.png`) });
    await context.close();
  }
  console.log(state);
}

const press = (name: string) => (page: Page) =>
  page.getByRole("button", { name, exact: true }).first().click();

const [laptop, desktop, phone, stranger] = await Promise.all(
  ["laptop", "desktop", "phone", "tablet"].map(device),
);
if (!laptop || !desktop || !phone || !stranger) throw new Error("there are four devices");
await shoot(laptop, "off");
await shoot(laptop, "start", press("Start on this device…"));
const { invite } = await call<{ invite: string }>(laptop, "POST", "/api/1/sync/start", { location: space });
await shoot(laptop, "alone");
await shoot(laptop, "invite", press("Show invite"));
await shoot(desktop, "join", async (page) => {
  await press("Join with an invite…")(page);
  await page.getByLabel("Location").fill(space);
  await page.getByLabel("Invite").first().fill(invite);
  await press("Show devices")(page);
  await page.getByRole("button", { name: "Join", exact: true }).waitFor();
});
await shoot(desktop, "wrong-invite", async (page) => {
  await press("Join with an invite…")(page);
  await page.getByLabel("Location").fill(space);
  await page.getByLabel("Invite").first().fill("dayline-sync_wrong");
  await press("Show devices")(page);
  await page.getByRole("alert").first().waitFor();
});
for (const each of [desktop, phone])
  await call(each, "POST", "/api/1/sync/join", { location: space, invite });
await run(laptop);
await shoot(laptop, "new");
const status = await call<{ report: { devices: { id: string; name: string }[] } }>(
  laptop,
  "GET",
  "/api/1/sync",
);
for (const each of status.report.devices)
  await call(laptop, "POST", `/api/1/sync/devices/${each.id}/confirm`);
await run(laptop);
await shoot(laptop, "identical");
for (const [state, name] of [
  ["adopt", "Adopt…"],
  ["remove", "Remove…"],
  ["leave", "Leave…"],
] as const)
  await shoot(laptop, state, press(name));

// A file of one device has not arrived, and the head of the other one is damaged.
const [first = "", second = ""] = status.report.devices.map((each) => each.id);
const late = join(space, first);
const before = new Set(readdirSync(late));
for (const [server, hostname] of [
  [desktop, "desktop"],
  [phone, "phone"],
] as const) {
  await record(server, hostname, 1);
  await run(server);
}
for (const file of readdirSync(late)) if (!before.has(file)) rmSync(join(late, file));
const damaged = join(space, second, "head");
writeFileSync(damaged, "x".repeat(statSync(damaged).size));
await run(laptop);
await shoot(laptop, "waiting-and-rejected");

// Both publish again; one of them is removed.
for (const server of [desktop, phone]) await call(server, "POST", "/api/1/sync/verify");
await record(phone, "phone", 2);
await record(desktop, "desktop", 2);
for (const server of [desktop, phone, laptop]) await run(server).catch(console.log);
await call(laptop, "POST", `/api/1/sync/devices/${second}/remove`, { delete_mirrors: false });
await shoot(laptop, "removed");
for (const server of [desktop, phone]) await run(server).catch(console.log);
await shoot(phone, "removed-elsewhere");
await shoot(desktop, "remains");

// An older copy of the database is restored.
await laptop.end("SIGTERM");
const copy = join(folder, "copy.db");
copyFileSync(laptop.database, copy);
await laptop.run();
await record(laptop, "laptop", 3);
await run(laptop);
await laptop.end("SIGTERM");
copyFileSync(copy, laptop.database);
await laptop.run();
await run(laptop).catch(console.log);
await shoot(laptop, "restored");
await call(laptop, "POST", "/api/1/sync/recover");

renameSync(space, `${space}-elsewhere`);
await run(laptop).catch(console.log);
await shoot(laptop, "not-mounted");
renameSync(`${space}-elsewhere`, space);

await shoot(stranger, "source", press("Add a folder of ActivityWatch…"));
await Promise.all([laptop, desktop, phone, stranger].map((server) => server.end("SIGTERM")));
await browser.close();
rmSync(folder, { recursive: true, force: true });
console.log(`in ${output}`);
