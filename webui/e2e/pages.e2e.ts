import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./axe.ts";
import { expectNoOverflow, open } from "./browser.ts";
import { Server } from "./server.ts";

const PAGES = [
  "today",
  "timeline",
  "trends",
  "categories",
  "search",
  "reports",
  "query",
  "buckets",
  "access",
  "backups",
  "settings",
];

describe.each(["seeded", "empty"] as const)("with a store that is %s", (data) => {
  let server: Server;
  beforeAll(async () => {
    server = await Server.start({ data });
  });
  afterAll(() => server.stop());

  it.each(PAGES)("the page %s loads without a message, an error or a request to elsewhere", async (name) => {
    const { page, close } = await open(`${server.url}/#/${name}`);
    expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
    await expectNoOverflow(page);
    await close();
  });

  describe.each(["light", "dark"] as const)("in the %s theme", (colorScheme) => {
    it.each(PAGES)("axe finds nothing on %s", async (name) => {
      const { page, close } = await open(`${server.url}/#/${name}`, { colorScheme, reducedMotion: "reduce" });
      expect(await violations(page)).toEqual([]);
      await close();
    });
  });
});
