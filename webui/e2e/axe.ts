// What axe-core finds against WCAG A and AA.
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** One line for each rule that is broken: [] on a page that everybody can use. A selector looks at a part of it. */
export async function violations(page: Page, within = "html"): Promise<string[]> {
  const found = await new AxeBuilder({ page }).include(within).withTags(TAGS).analyze();
  return found.violations.map(
    (rule) =>
      `${rule.id}: ${rule.nodes
        .map((node) => node.target.join(" "))
        .slice(0, 5)
        .join(", ")}`,
  );
}
