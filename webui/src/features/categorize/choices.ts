import { domainOf } from "../search/hits/hit-text";
import { choiceOf, type Choice } from "./choice";

/** What a rule can match of a time that the server explained, the best first. */
export function choicesOf(data: Readonly<Record<string, unknown>>): Choice[] {
  const layer = (name: string) => (data[name] ?? {}) as Readonly<Record<string, unknown>>;
  const [window, tab, file] = [layer("window"), layer("tab"), layer("file")];
  const found: [string, unknown][] = [
    ["domain", domainOf(tab)],
    ["project", file.project],
    ["app", window.app],
    ["title", window.title ?? tab.title],
  ];
  return found.flatMap(([field, value]) =>
    typeof value === "string" && value !== "" ? [choiceOf(field, value)] : [],
  );
}
