// The API browser is a page of its own beside the web UI: same theme, same fonts, nothing from elsewhere.
import { afterAll, beforeAll, expect, it } from "vitest";
import { contrastViolations, violations } from "./axe.ts";
import { expectNoOverflow, openWatched, type Watched } from "./browser.ts";
import { Server } from "./server.ts";

const CALL = "#get-/api/0/buckets/-bucket_id-/events";

let server: Server;
let watched: Watched;
beforeAll(async () => {
  server = await Server.start({ data: "empty" });
  // A file, which loads at once: what the settings page keeps is there before the page is.
  watched = await openWatched(`${server.url}/api/static/theme.js`, { colorScheme: "light" });
  await watched.page.evaluate(() => localStorage.setItem("dayline.theme", "dark"));
  watched.page.setDefaultTimeout(25_000);
});
afterAll(async () => {
  await watched.close();
  await server.stop();
});

it("has the theme that was chosen, and axe finds nothing in either", async () => {
  const { page } = watched;
  await page.goto(`${server.url}/api/${CALL}`);
  await page.getByRole("button", { name: "TRY" }).waitFor();
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  expect(await background()).toBe("rgb(15, 18, 23)");
  expect(await page.evaluate(() => document.fonts.check('16px "Geist Variable"'))).toBe(true);
  expect(await page.getByRole("textbox", { name: "bucket_id" }).count()).toBe(1);
  expect(await violations(page)).toEqual([]);
  await page.evaluate(() => (document.documentElement.dataset.theme = "light"));
  expect(await background()).toBe("rgb(247, 248, 250)");
  expect(await contrastViolations(page)).toEqual([]);
  await expectNoOverflow(page);
  expect(watched.problems).toEqual([]);
});

it("tries calls with the key that is given", async () => {
  const { page } = watched;
  await page.getByLabel("Try calls with a key").fill("dayline_wrong");
  const [request] = await Promise.all([
    page.waitForRequest((one) => one.url().includes("/events")),
    page.getByRole("button", { name: "TRY" }).click(),
  ]);
  expect(await request.headerValue("authorization")).toBe("Bearer dayline_wrong");
  expect(await request.headerValue("x-dayline")).toBe("1");
  await page.getByText(/Response Status: .*(401|404)/).waitFor();
  watched.forgive(); // the key and the bucket were not there
});
