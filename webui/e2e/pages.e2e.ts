import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PAGES, PARTS } from "./all-pages.ts";
import { contrastViolations, violations } from "./axe.ts";
import { expectNoOverflow, openPage, ready, type Watched } from "./browser.ts";
import { demoServer, Server, uniqueName } from "./server.ts";

let server: Server;
let watched: Watched & { close(): Promise<void> };
let page: Page;

async function begin(on: Server): Promise<void> {
  server = on;
  watched = await openPage(`${server.url}/`, {});
  page = watched.page;
}

/** Shows a page, wide and light, and checks that it says what it is. */
async function show(name: string): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto(`${server.url}/#/${name}`);
  await page.locator(`main[data-page=${name.replace(/[?/].*/, "")}]`).waitFor();
  await ready(page);
  expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
}

async function expectToFit(): Promise<void> {
  await expectNoOverflow(page);
  await page.setViewportSize({ width: 320, height: 640 });
  await ready(page);
  await expectNoOverflow(page);
}

describe("with demo data", () => {
  beforeAll(async () => {
    server = await demoServer();
    // Something for the trash, and something for the doctor to find. The page is opened after it: one that is open asks
    // for the new buckets while one of them is deleted.
    const [deleted, doubled] = [uniqueName("deleted"), uniqueName("doubled")];
    const event = { timestamp: "2024-05-01T10:00:00Z", duration: 60, data: { status: "afk" } };
    for (const id of [deleted, doubled])
      await server.post(`/api/0/buckets/${id}`, { client: "test", type: "afkstatus", hostname: id });
    await server.post(`/api/0/buckets/${doubled}/events`, [event, event]);
    await server.call("DELETE", `/api/0/buckets/${deleted}`);
    await begin(server);
  });
  afterAll(() => watched.close());

  it("the frame of every page passes axe in both themes, wide and narrow", async () => {
    await show("settings");
    expect(await violations(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await violations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await contrastViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 900 });
    expect(await contrastViolations(page)).toEqual([]);
  });

  it.each([...PAGES, ...PARTS])(
    "%s loads, says what it is, fits, and passes axe in both themes",
    async (name) => {
      await show(name);
      expect(await violations(page, "main")).toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await contrastViolations(page, "main")).toEqual([]);
      await expectToFit();
      expect(watched.problems).toEqual([]);
    },
  );
});

describe("with an empty store", () => {
  beforeAll(async () => begin(await Server.start({ data: "empty" })));
  afterAll(async () => {
    await watched.close();
    await server.stop();
  });

  it.each(PAGES)("%s loads, says what it is, fits, and passes axe", async (name) => {
    await show(name);
    // It has nothing that is not on it with data, but for words: their colors were checked in both themes.
    expect(await violations(page, "main")).toEqual([]);
    await expectToFit();
    expect(watched.problems).toEqual([]);
  });
});
