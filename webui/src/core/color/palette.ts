// The colors of categories: eight hues that are distinguishable in both themes, also with color vision deficiencies.
import { parseHex } from "./contrast";

export type Theme = "light" | "dark";

export const HUES = ["blue", "bronze", "teal", "rose", "gold", "violet", "petrol", "maroon"] as const;

/** The same as --category-0 … in app.css and as HUES of the server; tests compare them. */
export const PALETTE: Record<Theme, readonly string[]> = {
  light: ["#315cbf", "#7c560d", "#309e8b", "#bf4354", "#988f02", "#9677e4", "#0a4f6f", "#800e10"],
  dark: ["#769ff2", "#c68d24", "#66e9cf", "#ed9a9f", "#dcd67c", "#c6b7fa", "#1279a7", "#af554c"],
};
export const UNCATEGORIZED: Record<Theme, string> = { light: "#6b7280", dark: "#868e9c" };
export const SURFACE: Record<Theme, string> = { light: "#ffffff", dark: "#171b22" };
export type Path = readonly string[];

/** The key of a path in the color map. */
export function pathKey(path: Path): string {
  return JSON.stringify(path);
}

export interface ServedColors {
  readonly categories: readonly { readonly name: Path }[];
  readonly colors: readonly Readonly<Record<Theme, string>>[];
}

/** The colors of categories by path, as the server decided them. Everything else is uncategorized and drawn hatched. */
export function categoryColors({ categories, colors }: ServedColors, theme: Theme): Map<string, string> {
  const known = new Map(
    categories.map(({ name }, place) => [pathKey(name), colors[place]?.[theme] ?? UNCATEGORIZED[theme]]),
  );
  // A parent that is no category of its own has the color of the first one below it.
  for (const { name } of categories)
    for (let length = name.length - 1; length > 0; length -= 1) {
      const above = pathKey(name.slice(0, length));
      if (!known.has(above)) known.set(above, known.get(pathKey(name)) ?? UNCATEGORIZED[theme]);
    }
  return known;
}

/** A color for an app, the same on every day; for time without a category. */
export function appColor(name: string, theme: Theme): string {
  return PALETTE[theme][hash(name) % HUES.length] ?? UNCATEGORIZED[theme];
}

function hash(text: string): number {
  let value = 2166136261;
  for (let place = 0; place < text.length; place += 1)
    value = Math.imul(value ^ text.charCodeAt(place), 16777619);
  return value >>> 0;
}

/** A color that was chosen but is not saved yet; the server makes a custom one visible in both themes. */
export function draftColor(text: string | null, theme: Theme): string | undefined {
  return PALETTE[theme][HUES.findIndex((hue) => hue === text)] ?? (parseHex(text ?? "") && (text as string));
}

/** The color of a path, or of its nearest ancestor. */
export function ancestorColor(path: Path, colors: ReadonlyMap<string, string>): string | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const found = colors.get(pathKey(path.slice(0, length)));
    if (found) return found;
  }
  return undefined;
}
