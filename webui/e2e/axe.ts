// What axe-core finds against WCAG A and AA.
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

interface Scope {
  /** Only this part of the page: the rest was looked at elsewhere. */
  within?: string;
  /** Only what another theme can change. */
  onlyColours?: boolean;
}

/** One line for each rule that is broken: [] on a page that everybody can use. */
export async function violations(page: Page, { within, onlyColours = false }: Scope = {}): Promise<string[]> {
  let axe = new AxeBuilder({ page });
  axe = onlyColours ? axe.withRules(["color-contrast"]) : axe.withTags(TAGS);
  if (within) axe = axe.include(within);
  const found = await axe.analyze();
  return found.violations.map(
    (rule) =>
      `${rule.id}: ${rule.nodes
        .map((node) => node.target.join(" "))
        .slice(0, 5)
        .join(", ")}`,
  );
}
