// Pages that tell of everything that goes wrong in them.
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import { launch, ready } from "./launch.ts";

export { ready };

let browser: Browser | undefined;

/** One browser for all tests of a run; it ends with the process. */
export async function openBrowser(): Promise<Browser> {
  browser ??= await launch();
  return browser;
}

export interface Watched {
  readonly page: Page;
  /** Console messages, errors, failed requests and requests to elsewhere. */
  readonly problems: string[];
  /** Forget what went wrong: a test made it go wrong. */
  forgive(): void;
  /** Close the page; fails where something went wrong in it. */
  close(): Promise<void>;
}

/** A page of its own context at an address (relative to the server) that has loaded what it shows. */
export async function open(url: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const watched = await openWatched(url, options);
  await ready(watched.page);
  return watched;
}

/** The same for a page that is not the web UI's: it has loaded, and the test knows what to wait for. */
export async function openWatched(url: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await (
    await openBrowser()
  ).newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const origin = new URL(url).origin;
  const problems: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`error: ${error}`));
  page.on("response", (response) => {
    if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
  });
  context.on("request", (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith("blob:"))
      problems.push(`elsewhere: ${request.url()}`);
  });
  await page.goto(url);
  return {
    page,
    problems,
    forgive: () => void problems.splice(0),
    close: async () => {
      await context.close();
      expect(problems).toEqual([]);
    },
  };
}

/** Nothing is cut off and nothing makes the page scroll sideways. */
export async function expectNoOverflow(page: Page): Promise<void> {
  const [scroll, width] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  expect(scroll).toBeLessThanOrEqual(width ?? 0);
}
