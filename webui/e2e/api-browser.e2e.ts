// The API browser is a page of its own beside the web UI: same theme, same fonts, nothing from elsewhere.
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { contrastViolations, violations } from "./axe.ts";
import { expectNoOverflow, openWatched, type PageOptions, ready, type Watched } from "./browser.ts";
import { startKeyed } from "./keyed.ts";
import { demoServer, Server } from "./server.ts";

interface Description {
  paths: Record<string, Record<string, { summary: string }>>;
}
interface Call {
  method: string;
  path: string;
  summary: string;
}

const EVENTS = "#get-/api/0/buckets/-bucket_id-/events";
const INFO = "#get-/api/0/info";
const BACKGROUND = { light: "rgb(247, 248, 250)", dark: "rgb(15, 18, 23)" };

let server: Server;
let description: Description;
beforeAll(async () => {
  server = await demoServer();
  description = await server.get<Description>("/api/openapi.json");
});

/** Every call as the server describes it. */
function calls(): Call[] {
  return Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => ({ method: method.toUpperCase(), path, summary })),
  );
}

/** The page with three of the calls: RapiDoc takes seconds for all of them. */
async function openFew(hash: string, options: PageOptions = {}, { url } = server): Promise<Watched> {
  const paths = Object.fromEntries(
    ["/api/0/info", "/api/0/buckets/{bucket_id}", "/api/0/buckets/{bucket_id}/events"].map((path) => [
      path,
      description.paths[path],
    ]),
  );
  // A file, which loads at once: what is answered differently is known before the page asks for it.
  const watched = await openWatched(`${url}/api/static/theme.js`, options);
  await watched.page.route("**/api/openapi.json", (route) =>
    route.fulfill({ json: { ...description, paths } }),
  );
  await watched.page.goto(`${url}/api/${hash}`);
  return watched;
}

it("is found without a slash too, lists every call, and leads back to the page of the server", async () => {
  const { page } = await openWatched(`${server.url}/api`);
  const listed = page.locator("rapi-doc .nav-bar-path");
  await expect.poll(() => listed.count()).toBe(calls().length);
  const texts = await listed.evaluateAll((all) =>
    all.map((each) => each.textContent?.match(/\S+/g)?.join(" ")),
  );
  expect(texts.sort()).toEqual(
    calls()
      .map(({ method, summary }) => `${method} ${summary}`)
      .sort(),
  );
  expect(page.url().split("#")[0]).toBe(`${server.url}/api/`);
  await page.getByRole("link", { name: "Back to Dayline" }).click();
  await ready(page);
  expect(page.url().split("#")[0]).toBe(`${server.url}/`);
});

it("has the theme of the system or the one that was chosen, and axe finds nothing in either", async () => {
  const { page } = await openFew(EVENTS);
  const backgrounds = () =>
    page.evaluate(() =>
      ["html", "rapi-doc"].map(
        (name) => getComputedStyle(document.querySelector(name) as Element).backgroundColor,
      ),
    );
  await page.getByRole("button", { name: "TRY" }).waitFor();
  expect(await backgrounds()).toEqual([BACKGROUND.light, BACKGROUND.light]);
  expect(await contrastViolations(page)).toEqual([]);
  await page.evaluate(() => localStorage.setItem("dayline.theme", "dark"));
  await page.reload();
  await page.getByRole("button", { name: "TRY" }).waitFor();
  expect(await backgrounds()).toEqual([BACKGROUND.dark, BACKGROUND.dark]);
  expect(await page.evaluate(() => document.fonts.check('16px "Geist Variable"'))).toBe(true);
  expect(await page.getByRole("textbox", { name: "bucket_id" }).count()).toBe(1);
  expect(await violations(page)).toEqual([]);
  await expectNoOverflow(page);
});

it("follows the system's dark theme where none was chosen", async () => {
  const { page } = await openFew(INFO, { colorScheme: "dark" });
  const surface = () => page.locator("rapi-doc").evaluate((each) => getComputedStyle(each).backgroundColor);
  await expect.poll(surface).toBe(BACKGROUND.dark);
});

it("tries a call and shows its answer", async () => {
  const { device_id } = await server.get<{ device_id: string }>("/api/0/info");
  const { page } = await openFew(INFO);
  const asked = page.waitForRequest(`${server.url}/api/0/info`);
  await page.getByRole("button", { name: "TRY" }).first().click();
  await page.getByText("Response Status: OK:200").waitFor();
  await page.getByText(device_id).first().waitFor();
  await asked;
});

it("tries a change with the example as it stands", async () => {
  const empty = await Server.startForTest({ data: "empty" });
  const name = "post-/api/0/buckets/-bucket_id-";
  const { page } = await openFew(`#${name}`, {}, empty);
  // A POST from a page carries an Origin: the server has to know its own.
  const operation = page.locator(`[id="${name}"]`);
  await operation.getByRole("button", { name: "TRY" }).click();
  await operation.getByText("Response Status: OK:200").waitFor();
  expect(Object.keys(await empty.get<object>("/api/0/buckets/"))).toEqual(["aw-watcher-window_laptop"]);
});

it("tries calls with the key that is given", async () => {
  const { page } = await openFew(INFO);
  await page.getByLabel("Try calls with a key").fill("dayline_wrong");
  const [request] = await Promise.all([
    page.waitForRequest(`${server.url}/api/0/info`),
    page.getByRole("button", { name: "TRY" }).first().click(),
  ]);
  expect(await request.headerValue("authorization")).toBe("Bearer dayline_wrong");
  await page.getByText("Response Status: OK:200").waitFor();
});

it("tries calls as the browser that is signed in", async () => {
  const keyed = await startKeyed();
  onTestFinished(() => keyed.server.stop());
  const { code } = await keyed.asOwner<{ code: string }>("POST", "/api/1/session/codes");
  const { page } = await openWatched(`${keyed.server.url}/#code=${code}`);
  await page.locator("main[data-page=today]").waitFor();
  const paths = { "/api/0/buckets/": description.paths["/api/0/buckets/"] };
  await page.route("**/api/openapi.json", (route) => route.fulfill({ json: { ...description, paths } }));
  await page.goto(`${keyed.server.url}/api/#get-/api/0/buckets/`);
  await page.getByText("now: signed in, full").waitFor();
  await page.getByRole("button", { name: "TRY" }).first().click();
  await page.getByText("Response Status: OK:200").waitFor();
  await page.getByText("aw-watcher-afk_laptop").first().waitFor();
});

it("fits a narrow screen", async () => {
  const { page } = await openFew("", { viewport: { width: 320, height: 800 } });
  // The calls are rows that open. RapiDoc hides what overflows it, so that a button is looked at.
  await page.locator("rapi-doc").getByText("/api/0/info", { exact: true }).first().click();
  const box = await page.getByRole("button", { name: "TRY" }).first().boundingBox();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(320);
});

it("is a plain list of the calls without RapiDoc", async () => {
  const { page, tolerate } = await openWatched(`${server.url}/api/static/theme.js`);
  tolerate(/ERR_FAILED/);
  await page.route("**/rapidoc-min.js", (route) => route.abort());
  await page.goto(`${server.url}/api/`);
  await page.getByText("The calls of this server").waitFor();
  const shown = await page.locator(".calls").innerText();
  expect(calls().filter(({ method, path }) => !shown.includes(`${method} ${path}`))).toEqual([]);
  expect(await page.locator(".calls a[href='openapi.json']").isVisible()).toBe(true);
});
