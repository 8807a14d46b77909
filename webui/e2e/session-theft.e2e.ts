// A browser that is signed in, and a server of another user of the computer, on another port of the same host.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { open, ready } from "./browser.ts";
import { startKeyed, type Keyed } from "./keyed.ts";
import { Server } from "./server.ts";

const BUCKET = "aw-watcher-window_laptop";

let keyed: Keyed;
let url: string;
beforeAll(async () => {
  keyed = await startKeyed();
  url = keyed.server.url;
});
afterAll(() => keyed.server.stop());

async function openAsOwner() {
  const { code } = await keyed.asOwner<{ code: string }>("POST", "/api/1/session/codes");
  const watched = await open(`${url}/#code=${code}`);
  await watched.page.locator("main[data-page=today]").waitFor();
  return watched;
}

/** What a script prints: of another user if this one may choose. */
function runAsOther(script: string): string {
  const asUser =
    process.getuid?.() === 0 ? ["setpriv", "--reuid=54322", "--regid=54322", "--clear-groups"] : [];
  const [command = "", ...rest] = [...asUser, process.execPath, "-e", script];
  return execFileSync(command, rest, { encoding: "utf-8", env: {} }).trim();
}

/** The server of the thief: it keeps the cookies that it is sent, and its page asks for the data. */
class Thief {
  cookie = "";
  readonly #server: HttpServer;

  constructor() {
    this.#server = createServer((request, response) => {
      this.cookie = request.headers.cookie ?? this.cookie;
      response.setHeader("Content-Type", "text/html");
      response.end("<!doctype html><title>A page of another user</title>");
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** The status of a call with the stolen cookie: by another user if this one may choose. */
  use(method: string, path: string, more: Record<string, string> = {}, body?: unknown): number {
    const headers = { Cookie: this.cookie, "Content-Type": "application/json", ...more };
    const request = JSON.stringify({ method, headers, body: body && JSON.stringify(body) });
    const script = `fetch(${JSON.stringify(url + path)}, ${request}).then(({ status }) => console.log(status))`;
    return Number(runAsOther(script));
  }
}

/** What the page of the thief gets when it asks for the data itself. */
function tryFromPage(page: Page): Promise<string[]> {
  return page.evaluate(async (address) => {
    const ways: RequestInit[] = [
      { credentials: "include" },
      { credentials: "include", headers: { "X-Dayline": "1" } },
      { credentials: "include", mode: "no-cors" },
    ];
    const got = ways.map((way) =>
      fetch(address, way).then(
        (answer) => answer.text(),
        () => "",
      ),
    );
    return [...(await Promise.all(got)), JSON.stringify({ ...localStorage })];
  }, `${url}/api/0/buckets/`);
}

it("is of no use to a server on another port, which receives its cookie", async () => {
  const thief = new Thief();
  try {
    const { page, tolerate } = await openAsOwner();
    tolerate(/elsewhere|403|CORS|ERR_|blocked|favicon/);
    const secret = await page.evaluate(() =>
      Object.values({ ...localStorage }).find((each) => each.length === 43),
    );
    expect(secret).toBeTruthy();

    const elsewhere = await thief.start();
    await page.evaluate((address) => window.location.assign(address), elsewhere);
    await page.waitForURL(elsewhere);

    expect(thief.cookie).toContain(`dayline_session_${keyed.server.port}=`);
    expect((await tryFromPage(page)).join()).not.toMatch(new RegExp(`${BUCKET}|${secret}`));
    for (const headers of [{}, { "X-Dayline": "1" }, { Origin: url }] as Record<string, string>[]) {
      expect(thief.use("GET", "/api/0/export", headers)).toBe(401);
      expect(thief.use("GET", "/api/1/stream?follow=0", headers)).toBe(401);
      expect(thief.use("POST", "/api/1/keys", headers, { name: "mine", scope: "full" })).toBe(401);
      expect(thief.use("DELETE", "/api/1/session", headers)).toBe(200);
    }
    if (process.getuid?.() === 0)
      expect(thief.use("GET", "/api/0/export", { "X-Dayline": secret ?? "" })).toBe(401);
    expect(await keyed.asOwner("GET", "/api/1/keys")).toEqual([]);

    await page.goto(`${url}/#/buckets`);
    await ready(page);
    await page.getByText(BUCKET).first().waitFor();
  } finally {
    thief.stop();
  }
});

it("downloads and follows the stream as the one who signed in", async () => {
  const { page } = await openAsOwner();
  await page.goto(`${url}/#/buckets?tab=export`);
  await ready(page);
  const saving = page.waitForEvent("download");
  await page.getByRole("link", { name: `Export ${BUCKET} as JSON` }).click();
  const download = await saving;
  const saved = JSON.parse(readFileSync(await download.path(), "utf-8")) as { buckets: object };
  expect(Object.keys(saved.buckets)).toEqual([BUCKET]);
  expect(download.suggestedFilename()).toMatch(/\.json$/);

  type Audit = { lines: { who: string; status: number }[] };
  const streams = async () => (await keyed.asOwner<Audit>("GET", "/api/1/audit?call=get_stream")).lines;
  await expect.poll(streams).toContainEqual(expect.objectContaining({ who: "session", status: 200 }));
});

it("is asked to sign in again where the page has lost its secret", async () => {
  const { page } = await openAsOwner();
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await page.getByText("Enter a key to sign in").waitFor();
});

it("finds no one else at any address of localhost", async () => {
  const server = await Server.startForTest({ data: "empty", flags: ["--host", "127.0.0.1"] });
  const info = await server.get<{ device_id: string }>("/api/0/info");

  for (const host of ["::1", "127.0.0.1", "::", "0.0.0.0"]) {
    const listen = `require("net").createServer().listen(${server.port}, ${JSON.stringify(host)}, process.exit)`;
    const script = `${listen}.on("error", ({ code }) => console.log(code))`;
    expect(runAsOther(script)).toBe("EADDRINUSE");
  }
  for (const host of ["localhost", "[::1]", "127.0.0.1"]) {
    const { page } = await open(`http://${host}:${server.port}/`);
    const answered = await page.evaluate(async () => (await fetch("/api/0/info")).json() as Promise<unknown>);
    expect(answered).toEqual(info);
  }
});
