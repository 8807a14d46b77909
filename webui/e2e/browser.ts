// Pages that report everything that goes wrong in them.
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import { launch, ready as hasLoaded } from "./launch.ts";

/** Far longer than anything takes on a busy machine: what is waited for this long is never going to be there. */
const TIMEOUT = 60_000;

const VIEWPORT = { width: 1280, height: 900 };

/** What tests listen to. */
const EVENTS = ["console", "dialog", "pageerror", "request", "requestfailed", "requestfinished", "response"];

let browser: Promise<Browser> | undefined;
/**
 * Pages that no test uses, each in a context of its own, by time zone and language. A new one takes the browser as long
 * as what is shown in it.
 */
const free = new Map<string, Page[]>();

/** Of the pages that the test has opened so far. */
const closers: (() => Promise<void>)[] = [];

/** One browser for all tests of a worker; it ends with the process. */
export async function openBrowser(): Promise<Browser> {
  browser ??= launch();
  return browser;
}

export interface PageOptions {
  readonly viewport?: { width: number; height: number };
  readonly colorScheme?: "light" | "dark";
  readonly reducedMotion?: "reduce" | "no-preference";
  readonly forcedColors?: "active";
  readonly timezoneId?: string;
  readonly locale?: string;
}

export interface Watched {
  readonly page: Page;
  /** Console messages, errors, failed requests and requests to elsewhere. */
  readonly problems: string[];
  /** Do not count problems that match: the test causes them. */
  tolerate(pattern: RegExp): void;
}

/** A page that has loaded what it shows. It is closed with the test, which fails if something went wrong in the page. */
export async function open(url: string, options: PageOptions = {}): Promise<Watched> {
  const watched = await openWatched(url, options);
  await ready(watched.page);
  return watched;
}

/** The same for a page that is not the web UI's: it has loaded, and the test knows what to wait for. */
export async function openWatched(url: string, options: PageOptions = {}): Promise<Watched> {
  const { close, ...watched } = await openPage(url, options);
  closers.push(close);
  return watched;
}

/** Close what the test has opened; fails if something went wrong in it. */
export async function closePages(): Promise<void> {
  const outcomes = await Promise.allSettled(closers.splice(0).map((close) => close()));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

/** The same for several tests: the caller closes it. */
export async function openPage(
  url: string,
  {
    timezoneId,
    locale,
    viewport,
    colorScheme = "light",
    reducedMotion = "reduce",
    forcedColors,
  }: PageOptions,
): Promise<Watched & { close(): Promise<void> }> {
  const kind = `${timezoneId} ${locale}`;
  const page = free.get(kind)?.pop() ?? (await newPage({ timezoneId, locale }));
  const { origin } = new URL(url);
  const context = page.context();
  await context.clearCookies();
  const session = await context.newCDPSession(page);
  await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
  await session.detach();
  page.setDefaultTimeout(TIMEOUT);
  await page.setViewportSize(viewport ?? VIEWPORT);
  await page.emulateMedia({ colorScheme, reducedMotion, forcedColors: forcedColors ?? null, media: null });

  const problems: string[] = [];
  const tolerated: RegExp[] = [];
  const report = (problem: string) => problems.push(problem);
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") report(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => report(`error: ${error}`));
  page.on("response", async (response) => {
    if (response.status() < 400) return;
    const number = report(`${response.status()} ${response.url()}`) - 1;
    const body = await response.text().catch(() => ""); // the page may be gone
    problems[number] += ` ${body}`;
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith("blob:"))
      report(`elsewhere: ${request.url()}`);
  });
  await page.goto(url);
  return {
    page,
    problems,
    tolerate: (pattern) => void tolerated.push(pattern),
    close: async () => {
      if (page.isClosed()) await page.context().close();
      else free.set(kind, [...(free.get(kind) ?? []), await emptied(page)]);
      const unexpected = problems.filter((each) => !tolerated.some((pattern) => pattern.test(each)));
      expect(unexpected).toEqual([]);
    },
  };
}

async function newPage(options: BrowserContextOptions): Promise<Page> {
  const context = await (await openBrowser()).newContext(options);
  return await context.newPage();
}

/** The page as the next test wants it. A script that was added to it stays: such a test closes its page. */
async function emptied(page: Page): Promise<Page> {
  for (const event of EVENTS) page.removeAllListeners(event);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.setExtraHTTPHeaders({});
  await Promise.all(
    page
      .context()
      .pages()
      .filter((each) => each !== page)
      .map((each) => each.close()),
  );
  await page.goto("about:blank");
  await page.mouse.move(0, 0);
  return page;
}

/** Wait until the page shows what it was last asked for. */
export async function ready(page: Page): Promise<void> {
  // What follows from a key, a click or an address begins before the next frame, and until then the page seems ready.
  await page.waitForFunction(
    () => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(true)))),
  );
  await hasLoaded(page);
}

/** Undo what a message says was done, by its button: earlier messages may still be shown. */
export async function undoByMessage(page: Page, what: string): Promise<void> {
  const message = page.getByRole("status").locator(":scope > div");
  await message.filter({ hasText: what }).getByRole("button", { name: /^Undo/ }).click();
  await message
    .filter({ hasText: /^Undone:/ })
    .filter({ hasText: what })
    .waitFor();
}

/** Nothing is cut off and nothing makes the page scroll sideways. */
export async function expectNoOverflow(page: Page): Promise<void> {
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  await expect.poll(overflow).toBeLessThanOrEqual(0); // a busy machine takes a while to lay out a resized page
}
