// The pages in German: nothing of them is left in English, and the longer words fit.
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { PAGES, PARTS } from "./all-pages.ts";
import { expectNoOverflow, open, openPage, ready, type Watched } from "./browser.ts";
import { demoServer, Server } from "./server.ts";

type Message = string | Record<string, string>;
type Catalog = Record<string, Record<string, Message>>;

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../src/core/i18n/${name}.json`, import.meta.url), "utf-8")) as Catalog;
const [english, german] = [read("en"), read("de")];
const forms = (message: Message | undefined) =>
  typeof message === "object" ? Object.values(message) : [message ?? ""];

/** How many letters a text has besides its placeholders: with few of them it could be any text. */
const letters = (text: string) => text.replace(/\{\w+\}|[^a-z]/gi, "").length;

/** English texts that are no German ones: whole texts, with anything instead of their values. */
const ENGLISH: RegExp[] = (() => {
  const known = new Set(Object.values(german).flatMap((group) => Object.values(group).flatMap(forms)));
  const texts = Object.entries(english).flatMap(([group, own]) =>
    Object.entries(own)
      .filter(([key]) => !/Words$/.test(key) && group !== "keys") // what is typed, not shown
      .flatMap(([, message]) => forms(message)),
  );
  return (
    [...new Set(texts)]
      // A single word in lower case may also be the name of a field.
      .filter(
        (text) => !known.has(text) && !/^[a-z]+$/.test(text) && letters(text) >= (text.includes("{") ? 8 : 3),
      )
      .map((text) => {
        const parts = text.trim().split(/\{\w+\}/);
        return new RegExp(`^${parts.map((part) => part.replace(/[^\w\s]/gu, "\\$&")).join(".+")}$`);
      })
  );
})();

/** The texts of a page that are in English: what is shown, and what is read out. */
async function inEnglish(page: Page): Promise<string[]> {
  const texts = await page.evaluate(() => {
    const found = new Set<string>();
    const add = (text: string | null) => {
      const trimmed = text?.replace(/\s+/g, " ").trim();
      if (trimmed) found.add(trimmed);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node instanceof Element) {
        for (const name of ["aria-label", "title", "placeholder", "alt"]) add(node.getAttribute(name));
      } else if (!node.parentElement?.closest("code, pre, script, style, [lang=en]")) add(node.textContent);
    }
    return [...found];
  });
  return texts.filter((text) => ENGLISH.some((pattern) => pattern.test(text)));
}

const EVENT = { timestamp: "2024-05-01T10:00:00Z", duration: 60, data: { status: "afk" } };

let server: Server;
let watched: Watched & { close(): Promise<void> };
let page: Page;

beforeAll(async () => {
  server = await demoServer();
  watched = await openPage(`${server.url}/`, { locale: "de-DE" });
  page = watched.page;
});
afterAll(() => watched.close());

describe("in German", () => {
  it.each([...PAGES, ...PARTS, "welcome"])("%s has no English text, and fits on a phone", async (name) => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(`${server.url}/#/${name}`);
    await page.locator(`main[data-page=${name.replace(/[?/].*/, "")}]`).waitFor();
    await ready(page);
    expect(await page.evaluate(() => document.documentElement.lang)).toBe("de");
    expect(await inEnglish(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    await ready(page);
    await expectNoOverflow(page);
  });

  it("calls in the audit log and functions of queries have German texts", async () => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(`${server.url}/#/access`);
    await ready(page);
    await page.goto(`${server.url}/#/today`);
    await ready(page);
    await server.call("PATCH", "/api/1/settings", {});
    await server.post("/api/0/settings/german", 1);
    await server.call("DELETE", "/api/0/settings/german");
    // The page was open before: what happened since then is there too.
    await page.goto(`${server.url}/#/access`);
    await ready(page);
    await page.getByText("Präferenzen ändern").filter({ visible: true }).first().waitFor();
    // A deletion names what it deleted after its own name, and had no German text.
    await page
      .getByText(/^Einstellung löschen german$/)
      .filter({ visible: true })
      .first()
      .waitFor();
    await page.goto(`${server.url}/#/query`);
    await ready(page);
    await page.getByText("Die IDs aller Buckets.").filter({ visible: true }).first().waitFor();
  });

  it("Today is in German before the texts of other pages are there", async () => {
    const { page: first } = await open(`${server.url}/#/query`, { locale: "de-DE" });
    const held: (() => void)[] = [];
    await first.route(/\/app\/de-.*\.js/, async (route) => {
      const response = await route.fetch();
      if ((await response.body()).length > 20_000) await new Promise<void>((go) => void held.push(go));
      await route.fulfill({ response });
    });
    await first.goto(`${server.url}/#/today?period=week`);
    await first.reload();
    await ready(first);
    expect(held).toHaveLength(1);
    expect(await inEnglish(first)).toEqual([]);
    await first.goto(`${server.url}/#/query`);
    held.forEach((go) => go());
    await ready(first);
    expect(await inEnglish(first)).toEqual([]);
  });

  it("dates, times and numbers are German too", async () => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(`${server.url}/#/today?date=2024-03-05`);
    await ready(page);
    await page.getByText("Di., 5. März 2024").first().waitFor();
  });

  it("forms of Today have no English text, and fit on a phone", async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(`${server.url}/#/today?period=week`);
    await ready(page);
    await page
      .getByRole("button", { name: /^Kategorie von .* ändern$/ })
      .first()
      .click();
    const form = page.getByRole("dialog", { name: "Kategorie ändern" });
    await form.getByRole("option").first().click();
    await form
      .getByRole("status")
      .getByText(/verschoben/)
      .waitFor();
    expect(await inEnglish(page)).toEqual([]);
    await expectNoOverflow(page);
    await page.keyboard.press("Escape");
    await form.waitFor({ state: "detached" });
    await page.getByRole("button", { name: /^Ansicht anpassen/ }).click();
    await page.getByRole("dialog", { name: "Ansicht anpassen" }).waitFor();
    expect(await inEnglish(page)).toEqual([]);
    await page.getByRole("button", { name: "Diese Ansicht speichern …" }).click();
    await page.getByRole("dialog", { name: "Ansicht speichern" }).waitFor();
    expect(await inEnglish(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Ansicht speichern" }).waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.goto(`${server.url}/#/today?annotate=new`);
    await page.getByRole("button", { name: "Speichern", exact: true }).click();
    await page.getByText("Notiz eingeben.").waitFor();
    expect(await inEnglish(page)).toEqual([]);
    await expectNoOverflow(page);
  });

  it("the first-run page and the preview of an import have no English text, and fit on a phone", async () => {
    const empty = await Server.startForTest({ data: "empty" });
    const { page } = await open(`${empty.url}/#/welcome`, { locale: "de-DE" });
    await page.getByRole("heading", { name: "Einen Einstieg wählen" }).waitFor();
    await ready(page);
    expect(await inEnglish(page)).toEqual([]);
    const bucket = {
      id: "new",
      type: "afkstatus",
      client: "test",
      hostname: "laptop",
      created: EVENT.timestamp,
      events: [EVENT],
    };
    await page.locator("input[type=file]").setInputFiles({
      name: "export.json",
      mimeType: "application/json",
      buffer: Buffer.from(JSON.stringify({ buckets: { new: bucket } })),
    });
    await page.getByRole("button", { name: "1 Ereignis importieren" }).waitFor();
    expect(await inEnglish(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    await ready(page);
    await expectNoOverflow(page);
  });
});

describe("the setting", () => {
  let own: Server;
  beforeAll(async () => {
    own = await Server.start({ data: "empty" });
  });
  afterAll(() => own.stop());
  afterEach(() => own.call("PATCH", "/api/1/settings", { language: null }));

  it("changes the language at once, is kept, and goes back with undo", async () => {
    const { page } = await open(`${own.url}/#/settings`, { locale: "en-GB" });
    // Not check(), which looks for the radio button by its name again after the language has changed.
    await page.getByRole("radio", { name: "Deutsch" }).click({ force: true });
    await page.getByRole("heading", { name: "Einstellungen", level: 1 }).waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe("de");
    expect(await page.title()).toBe("Einstellungen · Dayline");
    const chosen = page.getByRole("radio", { name: "Deutsch" });
    await expect.poll(() => chosen.evaluate((each) => each === document.activeElement)).toBe(true);
    await page.reload();
    await ready(page);
    await page.getByRole("heading", { name: "Einstellungen", level: 1 }).waitFor();
    await page.getByRole("radio", { name: "Automatisch" }).click({ force: true });
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe("en");
  });

  it("English is kept in a German browser, which loads no German texts", async () => {
    await own.call("PATCH", "/api/1/settings", { language: "en" });
    const { page } = await open(`${own.url}/#/settings`, { locale: "de-DE" });
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    const loaded: string[] = [];
    page.on("request", (request) => loaded.push(request.url()));
    await page.reload();
    await ready(page);
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    expect(loaded.filter((url) => /\/de-[\w-]+\.js/.test(url))).toEqual([]);
  });
});
