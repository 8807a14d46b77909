import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./axe.ts";
import { expectNoOverflow, open, ready } from "./browser.ts";
import { uniqueName } from "./server.ts";
import { startKeyed, statusOf, type Keyed } from "./keyed.ts";

let keyed: Keyed;
let url: string;
beforeAll(async () => {
  keyed = await startKeyed();
  url = keyed.server.url;
});
afterAll(() => keyed.server.stop());

async function openAsOwner(hash: string) {
  const { code } = await keyed.asOwner<{ code: string }>("POST", "/api/1/session/codes");
  const watched = await open(`${url}/#code=${code}`);
  await watched.page.locator("main[data-page=today]").waitFor();
  await watched.page.goto(`${url}/${hash}`);
  await ready(watched.page);
  return watched;
}

async function signIn(page: Page, key: string) {
  await page.getByLabel("Key").fill(key);
  await page.keyboard.press("Enter");
}

describe("signing in", () => {
  it("asks for a key, shows nothing before, and tells what is wrong with a wrong one", async () => {
    const { page, tolerate } = await open(`${url}/#/buckets`);
    tolerate(/\b40[13]\b/);
    await page.getByText("Enter a key to sign in").waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute("type"))).toBe("password");
    expect(await page.content()).not.toContain("aw-watcher-window");
    expect(await violations(page)).toEqual([]);
    await expectNoOverflow(page);
    await signIn(page, "dayline_wrong");
    await page.getByText("invalid key: it is unknown").waitFor();
    await signIn(page, await keyed.key("append"));
    await page.getByText("This key can only record").waitFor();
  });

  it("lets a key in to the page that was asked for, keeps it in no script's reach, and out again", async () => {
    const { page } = await open(`${url}/#/buckets`);
    const key = await keyed.key("read");
    await signIn(page, key);
    await page.getByText("aw-watcher-window_laptop").first().waitFor();
    await page.reload();
    await page.getByText("aw-watcher-window_laptop").first().waitFor();
    expect(await page.evaluate(() => document.cookie)).toBe("");
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(kept).not.toContain(key);
    expect(await page.getByRole("link", { name: "Access" }).count()).toBe(0);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("Enter a key to sign in").waitFor();
  });

  it("takes the link of `dayline open` once, and leaves no trace of it in the address", async () => {
    const { code } = await keyed.asOwner<{ code: string }>("POST", "/api/1/session/codes");
    const first = await open(`${url}/#code=${code}`);
    await first.page.locator("main[data-page=today]").waitFor();
    expect(first.page.url()).toBe(`${url}/`);
    // The code was taken for the name of a page, so that Today requested nothing before it was mounted.
    const loaded = await first.page.evaluate(() =>
      performance.getEntriesByType("resource").map(({ name }) => name),
    );
    expect(loaded.filter((name) => name.includes("/app/NotFound-"))).toEqual([]);

    const second = await open(`${url}/#code=${code}`);
    second.tolerate(/\b401\b/);
    await second.page.getByText(/invalid code/i).waitFor();
  });

  it("shows a key for some buckets those alone", async () => {
    const { page } = await open(`${url}/#/buckets`);
    await signIn(page, await keyed.key("read", ["aw-watcher-afk_laptop"]));
    await page.getByText("aw-watcher-afk_laptop").first().waitFor();
    expect(await page.getByText("aw-watcher-window_laptop").count()).toBe(0);
  });
});

describe("keys", () => {
  it("are made with the keyboard alone; the text is shown once and is nowhere later", async () => {
    const { page } = await openAsOwner("#/access");
    const name = uniqueName("Keyboard watcher");
    const logged: string[] = [];
    page.on("console", (message) => logged.push(message.text()));
    await page.getByRole("button", { name: "New key" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "New key" }).waitFor();
    expect(await violations(page, "dialog[open]")).toEqual([]);
    const field = page.getByLabel("Name");
    while (!(await field.evaluate((input) => input === document.activeElement)))
      await page.keyboard.press("Tab");
    await page.keyboard.type(name);
    await page.keyboard.press("Tab"); // append-only is chosen
    await page.keyboard.press("Tab");
    await page.keyboard.type("aw-watcher-window_laptop");
    await page.keyboard.press("Enter");
    const secret = page.locator("[data-secret]");
    await secret.waitFor();
    const key = await secret.innerText();
    expect(key).toMatch(/^dayline_/);
    await page.getByText("dayline relay --to").waitFor();
    expect(await violations(page, "dialog[open]")).toEqual([]);

    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const isBack = () => page.evaluate(() => document.activeElement?.textContent?.includes("New key"));
    await expect.poll(isBack).toBe(true);
    await page.getByRole("rowheader", { name }).waitFor();
    const everywhere = await page.evaluate(() =>
      [
        document.documentElement.outerHTML,
        location.href,
        JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
      ].join(),
    );
    expect(everywhere).not.toContain(key);
    expect(logged.join()).not.toContain(key);

    const bucket = `${url}/api/0/buckets/aw-watcher-window_laptop`;
    const beat = { timestamp: new Date().toISOString(), duration: 0, data: { app: "x", title: "y" } };
    expect(await statusOf(`${bucket}/heartbeat?pulsetime=1`, key, "POST", beat)).toBe(200);
    expect(await statusOf(`${bucket}/events`, key)).toBe(403);
    const other = `${url}/api/0/buckets/aw-watcher-afk_laptop/heartbeat?pulsetime=1`;
    expect(await statusOf(other, key, "POST", beat)).toBe(403);

    // What was refused stands out, and leads to the key.
    await page.goto(`${url}/#/access?what=refused`);
    const refused = page.getByRole("row", { name: new RegExp(`${name}.*refused 403`) });
    await expect
      .poll(async () => {
        await page.reload();
        await ready(page);
        return refused.count();
      })
      .toBeGreaterThan(0);
    await refused.first().getByRole("link", { name }).click();
    await page.waitForURL(/key=/);
  });

  it("that read cannot write; a rotated one works until its time is up, a revoked one no more", async () => {
    const { page } = await openAsOwner("#/access");
    const name = uniqueName("Reader");
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Name").fill(name);
    await page.getByText("read-only", { exact: true }).last().click();
    await page.getByRole("button", { name: "Create key" }).click();
    const key = await page.locator("[data-secret]").innerText();
    await page.getByRole("button", { name: "Done" }).click();
    expect(await statusOf(`${url}/api/0/buckets/`, key)).toBe(200);
    expect(await statusOf(`${url}/api/0/settings/x`, key, "POST", 1)).toBe(403);

    await page.getByRole("button", { name: `Rotate ${name}` }).click();
    await page.getByRole("button", { name: "Rotate", exact: true }).click();
    const next = await page.locator("[data-secret]").innerText();
    expect(next).not.toBe(key);
    await page.getByRole("button", { name: "Done" }).click();
    expect(await statusOf(`${url}/api/0/buckets/`, key)).toBe(200);
    expect(await statusOf(`${url}/api/0/buckets/`, next)).toBe(200);

    await page
      .getByRole("button", { name: `Revoke ${name}` })
      .last()
      .click();
    await page.getByRole("dialog", { name: /Revoke/ }).waitFor();
    expect(await violations(page, "dialog[open]")).toEqual([]);
    await page.getByRole("button", { name: "Revoke", exact: true }).click();
    await page.getByText(`Revoked “${name}”`).waitFor();
    expect(await statusOf(`${url}/api/0/buckets/`, next)).toBe(401);
  });

  it("are not needed by a browser that gets a one-time link; others are signed out by a button", async () => {
    const { page } = await openAsOwner("#/access");
    await page.getByRole("button", { name: "Create one-time link" }).click();
    const link = await page.locator("code", { hasText: "#code=" }).innerText();
    const other = await open(link);
    await other.page.locator("main[data-page=today]").waitFor();
    other.tolerate(/\b401\b/);
    await page.getByRole("button", { name: "Sign out all others" }).click();
    await page.getByText(/Signed out \d+ other/).waitFor();
    await other.page.reload();
    await other.page.getByText("Enter a key to sign in").waitFor();
  });
});

describe("browsers that are signed in", () => {
  /** Sign in as a browser at another address would. */
  async function signInFrom(address: string) {
    const response = await fetch(`${url}/api/1/session`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "X-Forwarded-For": address,
        "User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1",
      },
      body: JSON.stringify({ key: await keyed.key("read") }),
    });
    expect(response.status).toBe(201);
  }

  it("are listed, confirmed and signed out with the keyboard, in light and dark", async () => {
    await signInFrom("192.0.2.17");
    const { page } = await openAsOwner("#/access");
    const table = page.getByRole("table", { name: "Signed-in browsers" });
    const phone = table.getByRole("row", { name: /Safari on iPhone/ });
    await phone.getByText("new address").waitFor();
    await table.getByText("this browser").waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page)).toEqual([]);
    }
    await expectNoOverflow(page);

    await phone.getByRole("button", { name: "Confirm Safari on iPhone at 192.0.2.17" }).focus();
    await page.keyboard.press("Enter");
    await phone.getByText("new address").waitFor({ state: "detached" });
    await phone.getByRole("button", { name: "Sign out Safari on iPhone at 192.0.2.17" }).focus();
    await page.keyboard.press("Enter");
    await phone.waitFor({ state: "detached" });
    const left = await keyed.asOwner<{ address: string }[]>("GET", "/api/1/sessions");
    expect(left.map(({ address }) => address)).not.toContain("192.0.2.17");
  });
});
