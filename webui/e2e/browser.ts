// The browser that $CHROMIUM names (`make test` finds one), and pages that tell of everything that goes wrong in them.
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { expect } from "vitest";

const FLAGS = [
  "--no-sandbox", // the tests may run as root, which the sandbox refuses
  "--disable-gpu",
  "--no-first-run",
  // The rest keeps it from talking to anything but the server under test.
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

let browser: Browser | undefined;

/** One browser for all tests of a run; it ends with the process. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM;
  if (!executablePath) throw new Error("CHROMIUM is not set: run the tests with `make test`");
  browser ??= await chromium.launch({ executablePath, headless: true, args: FLAGS });
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
  await ready(page);
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

/** Wait until the page has what it shows. */
export async function ready(page: Page): Promise<void> {
  await page.locator("main[data-ready=true]").waitFor();
}

/** Nothing is cut off and nothing makes the page scroll sideways. */
export async function expectNoOverflow(page: Page): Promise<void> {
  const [scroll, width] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  expect(scroll).toBeLessThanOrEqual(width ?? 0);
}
