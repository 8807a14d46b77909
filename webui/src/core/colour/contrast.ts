// WCAG 2 contrast, and OKLCH colours, whose lightness can change without changing the hue.

export type Rgb = readonly [number, number, number];

export function parseHex(hex: string): Rgb | undefined {
  const match = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(hex.trim());
  if (!match?.[1]) return undefined;
  const digits = match[1].length === 3 ? [...match[1]].map((digit) => digit + digit).join("") : match[1];
  const value = Number.parseInt(digits, 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

export function formatHex(rgb: Rgb): string {
  return `#${rgb
    .map((part) =>
      Math.round(Math.min(255, Math.max(0, part)))
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}

/** The contrast ratio of two colours, from 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map(linear) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The colour, made darker or lighter until it has enough contrast with the background. */
export function readableOn(rgb: Rgb, background: Rgb, ratio = 3): Rgb {
  if (contrast(rgb, background) >= ratio) return rgb;
  const step = luminance(background) > 0.4 ? -0.02 : 0.02;
  const [lightness, chroma, hue] = toOklch(rgb);
  for (let next = lightness + step; next > 0 && next < 1; next += step) {
    const candidate = fromOklch([next, chroma, hue]);
    if (contrast(candidate, background) >= ratio) return candidate;
  }
  return step < 0 ? [0, 0, 0] : [255, 255, 255];
}

/** The colour with its lightness changed by a share: 0.06 is 6 % lighter. */
export function lighter(rgb: Rgb, by: number): Rgb {
  const [lightness, chroma, hue] = toOklch(rgb);
  return fromOklch([Math.min(1, Math.max(0, lightness + by)), chroma, hue]);
}

export function toOklab(rgb: Rgb): [number, number, number] {
  const [r, g, b] = rgb.map(linear) as [number, number, number];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function toOklch(rgb: Rgb): [number, number, number] {
  const [lightness, a, b] = toOklab(rgb);
  return [lightness, Math.hypot(a, b), Math.atan2(b, a)];
}

function fromOklch([lightness, chroma, hue]: [number, number, number]): Rgb {
  const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    display(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    display(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    display(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

function linear(part: number): number {
  const share = part / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

function display(part: number): number {
  const share = Math.min(1, Math.max(0, part));
  return 255 * (share <= 0.0031308 ? 12.92 * share : 1.055 * share ** (1 / 2.4) - 0.055);
}
