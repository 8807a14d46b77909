// The browser that $CHROMIUM names; `make test` sets it to what scripts/chromium.py finds.
import { chromium, type Browser, type Page } from "playwright-core";

// Chromium takes the last list of these alone, so that this one replaces Playwright's and repeats what matters of it.
const DISABLED_FEATURES = [
  // A full Chromium loads two pages for the address bar of every window, which takes longer than the page under test.
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  // These talk to the network.
  "AimEnabled",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PreconnectToSearch",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "MediaRouter",
  // Keeps what was painted for a page on the screen while the next one loads.
  "PaintHolding",
];

export const FLAGS = [
  "--no-sandbox", // the tests may run as root, which the sandbox refuses
  "--disable-gpu",
  "--no-first-run",
  `--disable-features=${DISABLED_FEATURES.join()}`,
  // The rest keeps it from talking to anything but the server under test.
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A headless browser; the caller closes it. It also ends with this process, whose end it notices. */
export async function launch(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM;
  if (!executablePath) throw new Error("CHROMIUM is not set: run this with make");
  return await chromium.launch({ executablePath, headless: true, args: FLAGS });
}

/** Wait until the page has what it shows. */
export async function ready(page: Page): Promise<void> {
  await page.locator("main[data-ready=true]").waitFor();
}
