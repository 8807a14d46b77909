// The browser that $CHROMIUM names; `make test` sets it to what scripts/chromium.py finds.
import { chromium, type Browser, type Page } from "playwright-core";

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

/** A headless browser; the caller closes it. */
export async function launch(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM;
  if (!executablePath) throw new Error("CHROMIUM is not set: run this with make");
  return await chromium.launch({ executablePath, headless: true, args: FLAGS });
}

/** Wait until the page has what it shows. */
export async function ready(page: Page): Promise<void> {
  await page.locator("main[data-ready=true]").waitFor();
}
