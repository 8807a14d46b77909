// What color a span has. Numbers stand for paints, so that spans of one paint are drawn together.
import { t } from "../../../core/i18n/translate.svelte";
import { contrast, formatHex, parseHex, type Rgb } from "../../../core/color/contrast";
import { appColor, UNCATEGORIZED, type Path, type Theme } from "../../../core/color/palette";
import { isUncategorized, pathLabel } from "../../../core/text/paths";
import type { Lane, Span, Texts } from "../spans/model";

export interface Paint {
  readonly fill: string;
  /** What is written on it. */
  readonly ink: string;
  /** Uncategorized, away: never shown by color alone. */
  readonly isHatched: boolean;
  /** A line instead of a block: being present is the usual state. */
  readonly isLine: boolean;
}

/** What decides about the color: the category, what the span shows, or the category and else the app. */
export type Coloring = "category" | "key" | "app";

type Source =
  | { readonly kind: "category"; readonly path: Path }
  | { readonly kind: "key"; readonly text: string }
  | { readonly kind: "away" | "here" | "plain" | "other" | "none" };

export interface Colors {
  of(path: Path): string;
  isNone(path: Path): boolean;
}

/** Gives every look a number, and looks again when the theme or the colors change. */
export class Painter {
  readonly #sources: Source[] = [{ kind: "none" }];
  readonly #numbers = new Map<string, number>([["none", 0]]);

  constructor(
    private readonly texts: Texts,
    readonly coloring: Coloring,
  ) {}

  number(lane: Lane, span: Pick<Span, "key" | "cat">): number {
    const text = this.texts.keys[span.key];
    if (lane.type === "days" && span.key < 0 && span.cat < 0) return this.#numbered("other");
    if (lane.type === "afkstatus") return this.#numbered(text === "not-afk" ? "here" : "away");
    if (this.coloring === "key")
      return text === undefined
        ? 0
        : this.#numbered(`key ${span.key}`, () => ({ kind: "key", text }) as const);
    const path = this.texts.categories[span.cat];
    if (this.coloring === "app" && text !== undefined && (!path || isUncategorized(path)))
      return this.#numbered(`key ${span.key}`, () => ({ kind: "key", text }) as const);
    if (path) return this.#numbered(`category ${span.cat}`, () => ({ kind: "category", path }) as const);
    return this.#numbered("plain");
  }

  /** The label of a number. */
  name(number: number): string {
    const source = this.#sources[number];
    switch (source?.kind) {
      case "category":
        return pathLabel(source.path);
      case "key":
        // A file that an editor shows is named without its folders if colors are those of apps.
        return this.coloring === "app" ? source.text.replace(/^.*[\\/](?=[^\\/]+$)/, "") : source.text;
      case "away":
        return t("common.awayTitle");
      case "here":
        return t("timeline.atTheDevice");
      case "plain":
        return t("timeline.withoutACategory");
      case "other":
        return t("common.other");
      default:
        return t("timeline.nothingToShow");
    }
  }

  /** The category of a number, or the app, site or title; undefined for what is neither. */
  subject(number: number): { readonly path: Path } | { readonly text: string } | undefined {
    const source = this.#sources[number];
    if (source?.kind === "category") return { path: source.path };
    return source?.kind === "key" ? { text: source.text } : undefined;
  }

  /** How many looks there are. */
  get size(): number {
    return this.#sources.length;
  }

  /** How each number looks. */
  paints(theme: Theme, colors: Colors): Paint[] {
    return this.#sources.map((source) => look(source, theme, colors));
  }

  #numbered(name: string, source?: () => Source): number {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number =
        this.#sources.push(
          source ? source() : ({ kind: name as "away" | "here" | "plain" | "other" } as const),
        ) - 1;
      this.#numbers.set(name, number);
    }
    return number;
  }
}

function look(source: Source, theme: Theme, colors: Colors): Paint {
  const gray = UNCATEGORIZED[theme];
  switch (source.kind) {
    case "category": {
      const fill = colors.of(source.path);
      return { fill, ink: inkOn(fill), isHatched: colors.isNone(source.path), isLine: false };
    }
    case "key": {
      const fill = appColor(source.text, theme);
      return { fill, ink: inkOn(fill), isHatched: false, isLine: false };
    }
    case "other":
    case "plain": {
      const fill = theme === "light" ? "#4d5666" : "#aab3c0";
      return { fill, ink: inkOn(fill), isHatched: false, isLine: false };
    }
    case "here":
      return { fill: gray, ink: inkOn(gray), isHatched: false, isLine: true };
    default:
      return { fill: gray, ink: inkOn(gray), isHatched: true, isLine: false };
  }
}

const INK: Rgb = [15, 18, 23];
const WHITE: Rgb = [255, 255, 255];

/** White or nearly black, whichever can be read better on a color. */
export function inkOn(fill: string): string {
  const rgb = parseHex(fill) ?? WHITE;
  return formatHex(contrast(rgb, WHITE) >= contrast(rgb, INK) ? WHITE : INK);
}
