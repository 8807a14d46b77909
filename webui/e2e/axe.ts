// What axe-core finds against WCAG A and AA.
import axe, { type AxeResults, type RunOptions } from "axe-core";
import type { Page } from "playwright-core";

const EVERYTHING: RunOptions = { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] };
const CONTRAST: RunOptions = { runOnly: ["color-contrast"] };

/** One line for each rule that is broken: [] on a page that everybody can use. `within` is a selector of a part of it. */
export async function violations(page: Page, within = "html"): Promise<string[]> {
  return await run(page, within, EVERYTHING);
}

/** The same for contrast alone: all that differs between the themes. */
export async function contrastViolations(page: Page, within = "html"): Promise<string[]> {
  return await run(page, within, CONTRAST);
}

async function run(page: Page, within: string, options: RunOptions): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source);
  return await page.evaluate(
    async ([selector, asked]) => {
      const { axe } = globalThis as unknown as { axe: typeof import("axe-core") };
      const found: AxeResults = await axe.run(selector, asked);
      return found.violations.map((rule) => {
        const places = rule.nodes.map((node) => node.target.join(" "));
        return `${rule.id}: ${places.slice(0, 5).join(", ")}`;
      });
    },
    [within, { ...options, resultTypes: ["violations"], preload: false }] as [string, RunOptions],
  );
}
