import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contrastViolations, violations } from "./axe.ts";
import { expectNoOverflow, open, ready, type Watched } from "./browser.ts";
import { PAGES } from "./all-pages.ts";
import { Server } from "./server.ts";

describe.each(["seeded", "empty"] as const)("with a store that is %s", (data) => {
  let server: Server;
  let watched: Watched;
  let page: Page;
  beforeAll(async () => {
    server = await Server.start({ data });
    watched = await open(`${server.url}/`, { reducedMotion: "reduce", colorScheme: "light" });
    page = watched.page;
  });
  afterAll(async () => {
    await watched.close();
    await server.stop();
  });

  it.each(PAGES)("%s loads, says what it is, fits, and axe finds nothing in either theme", async (name) => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(`${server.url}/#/${name}`);
    await page.locator(`main[data-page=${name.replace(/\?.*/, "")}]`).waitFor();
    await ready(page);
    expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
    expect(await violations(page)).toEqual([]);
    // Without data a page has nothing that is not on it with data, but for words.
    if (data === "seeded") {
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await contrastViolations(page)).toEqual([]);
    }
    await expectNoOverflow(page);
    await page.setViewportSize({ width: 320, height: 640 });
    await ready(page);
    await expectNoOverflow(page);
    expect(watched.problems).toEqual([]);
  });
});
