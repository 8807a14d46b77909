// The colours of categories: eight hues that are distinguishable in both themes, also with colour vision deficiencies.
import { formatHex, lighter, parseHex, readableOn, type Rgb } from "./contrast";

export type Theme = "light" | "dark";

export const HUES = ["blue", "bronze", "teal", "rose", "gold", "violet", "petrol", "maroon"] as const;
export type Hue = (typeof HUES)[number];

/** The same as --category-0 … in app.css; a test compares them. */
export const PALETTE: Record<Theme, readonly string[]> = {
  light: ["#315cbf", "#7c560d", "#309e8b", "#bf4354", "#988f02", "#9677e4", "#0a4f6f", "#800e10"],
  dark: ["#769ff2", "#c68d24", "#66e9cf", "#ed9a9f", "#dcd67c", "#c6b7fa", "#1279a7", "#af554c"],
};
export const UNCATEGORISED: Record<Theme, string> = { light: "#6b7280", dark: "#868e9c" };
export const SURFACE: Record<Theme, string> = { light: "#ffffff", dark: "#171b22" };
const NAMED: Record<string, Hue> = {
  blue: "blue",
  brown: "bronze",
  orange: "bronze",
  green: "teal",
  teal: "teal",
  red: "maroon",
  pink: "rose",
  rose: "rose",
  yellow: "gold",
  gold: "gold",
  purple: "violet",
  violet: "violet",
  petrol: "petrol",
  maroon: "maroon",
  bronze: "bronze",
};

export type Path = readonly string[];

export interface ColouredCategory {
  readonly name: Path;
  readonly color?: string | null;
}

/** The key of a path in the colour map. */
export function pathKey(path: Path): string {
  return JSON.stringify(path);
}

/** The colour of every category of a tree. Everything else is uncategorised and drawn hatched. */
export function categoryColours(categories: readonly ColouredCategory[], theme: Theme): Map<string, string> {
  const colours = new Map<string, string>();
  const tops: string[] = [];
  const below = new Map<string, number>();
  for (const { name, color } of [...categories].sort((a, b) => a.name.length - b.name.length)) {
    const top = name[0];
    if (top === undefined) continue;
    if (!tops.includes(top)) tops.push(top);
    const chosen = color ? chosenColour(color, theme) : undefined;
    const parent = ancestorColour(name, colours);
    if (chosen) colours.set(pathKey(name), chosen);
    else if (parent) {
      const count = (below.get(pathKey(name.slice(0, -1))) ?? 0) + 1;
      below.set(pathKey(name.slice(0, -1)), count);
      colours.set(pathKey(name), variation(parent, count, theme));
    } else {
      colours.set(pathKey(name), PALETTE[theme][tops.indexOf(top) % HUES.length] as string);
    }
  }
  return colours;
}

/** The colour that the user chose, by name or as #rrggbb, adjusted until it is visible in this theme. */
export function chosenColour(text: string, theme: Theme): string | undefined {
  const hue = NAMED[text.trim().toLowerCase()];
  if (hue) return PALETTE[theme][HUES.indexOf(hue)];
  const rgb = parseHex(text);
  return rgb && formatHex(readableOn(rgb, parseHex(SURFACE[theme]) as Rgb));
}

/** The colour of a path, or of its nearest ancestor. */
export function ancestorColour(path: Path, colours: ReadonlyMap<string, string>): string | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const found = colours.get(pathKey(path.slice(0, length)));
    if (found) return found;
  }
  return undefined;
}

/** Children have their parent's colour, alternately a little lighter and darker. */
function variation(parent: string, count: number, theme: Theme): string {
  const amount = 0.06 * Math.ceil(count / 2) * (count % 2 ? 1 : -1);
  const varied = lighter(parseHex(parent) as Rgb, Math.max(-0.18, Math.min(0.18, amount)));
  return formatHex(readableOn(varied, parseHex(SURFACE[theme]) as Rgb));
}
