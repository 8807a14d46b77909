// Opens the browser that $CHROMIUM names; `make test` sets it to what scripts/chromium.py finds.
import { chromium } from "playwright-core";

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
export async function openBrowser() {
  const executablePath = process.env.CHROMIUM;
  if (!executablePath) throw new Error("CHROMIUM is not set: run the tests with `make test`");
  return await chromium.launch({ executablePath, headless: true, args: FLAGS });
}
