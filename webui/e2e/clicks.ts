// How many clicks a task takes.
import type { Page } from "playwright-core";

/** Start to count; the returned function is the number of clicks since then. */
export async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const counted = globalThis as unknown as { clicks: number };
    counted.clicks = 0;
    // A click on a label is followed by another one, on its field, that nobody made.
    addEventListener("pointerdown", () => (counted.clicks += 1), { capture: true });
  });
  return () => page.evaluate(() => (globalThis as unknown as { clicks: number }).clicks);
}
