// What axe-core finds against WCAG A and AA.
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** One line for each rule that is broken: [] on a page that everybody can use. `within` is a selector of a part of it. */
export async function violations(page: Page, within?: string): Promise<string[]> {
  return told(new AxeBuilder({ page }).withTags(TAGS), within);
}

/** The same for contrast alone: all that differs between the themes. */
export async function contrastViolations(page: Page, within?: string): Promise<string[]> {
  return told(new AxeBuilder({ page }).withRules(["color-contrast"]), within);
}

async function told(builder: AxeBuilder, within: string | undefined): Promise<string[]> {
  const found = await (within ? builder.include(within) : builder).analyze();
  return found.violations.map((rule) => {
    const places = rule.nodes.map((node) => node.target.join(" "));
    return `${rule.id}: ${places.slice(0, 5).join(", ")}`;
  });
}
