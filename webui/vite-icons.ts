// Replaces the components of Lucide's icons by one component with a path: a hundred compiled components would be most of
// the code of a small page, and an element for each line and circle would be created one by one.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";

type Attributes = Readonly<Record<string, string>>;
type Shape = readonly [tag: string, attributes: Attributes];
interface IconData {
  readonly name: string;
  readonly node: readonly Shape[];
}

const ICON = /@lucide\/svelte\/dist\/icons\/[\w-]+\.js$/;
const COMPONENT = "/src/kit/display/path-icon.ts";

export function pathIcons(): Plugin {
  return {
    name: "dayline-icons",
    enforce: "pre",
    load(id) {
      const [file = ""] = id.split("?");
      if (!ICON.test(file)) return undefined;
      const { name, node } = read(file);
      const path = node.map(pathOf).join("");
      return `import { pathIcon } from "${COMPONENT}";\nexport default pathIcon(${JSON.stringify(name)}, ${JSON.stringify(path)});`;
    },
  };
}

function read(file: string): IconData {
  const [, component] = /from "(\.\/[\w-]+\.svelte)"/.exec(readFileSync(file, "utf-8")) ?? [];
  if (!component) throw new Error(`${file} exports no icon`);
  const [, data] = /const iconData = (.*);/.exec(readFileSync(join(dirname(file), component), "utf-8")) ?? [];
  if (!data) throw new Error(`${component} has no shapes`);
  return JSON.parse(data) as IconData;
}

/** A shape as the commands of a path. */
function pathOf([tag, attributes]: Shape): string {
  const number = (name: string) => Number(attributes[name] ?? 0);
  switch (tag) {
    case "path":
      return absolute(attributes.d ?? "");
    case "line":
      return `M${number("x1")} ${number("y1")}L${number("x2")} ${number("y2")}`;
    case "polyline":
      return `M${attributes.points ?? ""}`;
    case "polygon":
      return `M${attributes.points ?? ""}z`;
    case "circle":
      return ellipse(number("cx"), number("cy"), number("r"), number("r"));
    case "ellipse":
      return ellipse(number("cx"), number("cy"), number("rx"), number("ry"));
    case "rect":
      return rectangle(number("x"), number("y"), number("width"), number("height"), number("rx"));
    default:
      throw new Error(`an icon has a shape that cannot be drawn as a path: ${tag}`);
  }
}

/** A path that starts where it says, whatever is before it. The points after a relative start stay relative. */
function absolute(d: string): string {
  const number = String.raw`[ ,]*(-?\d*\.?\d+)`;
  const [, x, y, rest = ""] = new RegExp(`^m${number}${number}(.*)$`).exec(d) ?? [];
  if (x === undefined) return d;
  return `M${x} ${y}${/^[ ,]*[-.\d]/.test(rest) ? "l" : ""}${rest.trim()}`;
}

function ellipse(x: number, y: number, rx: number, ry: number): string {
  return `M${x - rx} ${y}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0z`;
}

function rectangle(x: number, y: number, width: number, height: number, r: number): string {
  const corner = (dx: number, dy: number) => (r ? `a${r} ${r} 0 0 1 ${dx} ${dy}` : "");
  const [h, v] = [width - 2 * r, height - 2 * r];
  return `M${x + r} ${y}h${h}${corner(r, r)}v${v}${corner(-r, r)}h${-h}${corner(-r, -r)}v${-v}${corner(r, -r)}z`;
}
