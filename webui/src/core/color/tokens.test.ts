// The contrast of the colors in app.css, and their distance under simulated color vision deficiencies.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { contrast, parseHex, toOklab, type Rgb } from "./contrast";
import { PALETTE, SURFACE, UNCATEGORIZED } from "./palette";

const css = readFileSync(new URL("../../app.css", import.meta.url), "utf-8");
const tokens = new Map<string, { light: Rgb; dark: Rgb }>();
for (const [, name, light, dark] of css.matchAll(/--([\w-]+): light-dark\((#\w+), (#\w+)\)/g))
  tokens.set(name as string, {
    light: parseHex(light as string) as Rgb,
    dark: parseHex(dark as string) as Rgb,
  });

const token = (name: string, theme: "light" | "dark"): Rgb => {
  const found = tokens.get(name);
  if (!found) throw new Error(`app.css has no --${name}`);
  return found[theme];
};

describe.each(["light", "dark"] as const)("in the %s theme", (theme) => {
  const backgrounds = ["bg", "surface", "sunken", "hover", "accent-soft"].map((name) => token(name, theme));
  const worst = (name: string) =>
    Math.min(...backgrounds.map((ground) => contrast(token(name, theme), ground)));

  test.each(["text", "muted", "subtle", "accent", "ok", "warn", "danger", "info"])(
    "%s is readable on every background",
    (name) => expect(worst(name)).toBeGreaterThanOrEqual(4.5),
  );
  test.each(["control", "ring"])("%s is visible on every background", (name) =>
    expect(worst(name)).toBeGreaterThanOrEqual(3),
  );
  test("text on the accent color is readable", () =>
    expect(contrast(token("on-accent", theme), token("accent", theme))).toBeGreaterThanOrEqual(4.5));

  const colors = [...PALETTE[theme].map((hex) => parseHex(hex) as Rgb)];
  test("the chart palette equals the one in the styles", () => {
    expect(colors).toEqual(colors.map((_, place) => token(`category-${place}`, theme)));
    expect(parseHex(UNCATEGORIZED[theme])).toEqual(token("uncategorized", theme));
    expect(parseHex(SURFACE[theme])).toEqual(token("surface", theme));
  });
  test("every category color is visible on panels and on the page", () => {
    const ratios = [...colors, token("uncategorized", theme)].flatMap((color) =>
      ["bg", "surface"].map((ground) => contrast(color, token(ground, theme))),
    );
    expect(Math.min(...ratios)).toBeGreaterThanOrEqual(3);
  });
  test.each(["normal", "protan", "deutan", "tritan"] as const)(
    "categories are distinguishable with %s vision",
    (eyes) => {
      const seen = colors.map((color) => toOklab(seenBy(color, eyes)));
      const distances = seen.flatMap((one, place) =>
        seen
          .slice(place + 1)
          .map((other) => 100 * Math.hypot(...one.map((part, axis) => part - (other[axis] ?? 0)))),
      );
      expect(Math.min(...distances)).toBeGreaterThanOrEqual(7);
    },
  );
  test("neighboring steps of the heat ramp differ", () => {
    const steps = [0, 1, 2, 3, 4, 5].map((step) => token(`heat-${step}`, theme));
    const ratios = steps.slice(1).map((color, place) => contrast(color, steps[place] as Rgb));
    expect(Math.min(...ratios)).toBeGreaterThanOrEqual(1.2);
  });
});

/** The color as seen without one kind of cone, by the matrices of Machado, Oliveira and Fernandes (2009). */
function seenBy(rgb: Rgb, eyes: "normal" | "protan" | "deutan" | "tritan"): Rgb {
  if (eyes === "normal") return rgb;
  const MATRICES = {
    protan: [
      [0.152286, 1.052583, -0.204868],
      [0.114503, 0.786281, 0.099216],
      [-0.003882, -0.048116, 1.051998],
    ],
    deutan: [
      [0.367322, 0.860646, -0.227968],
      [0.280085, 0.672501, 0.047413],
      [-0.01182, 0.04294, 0.968881],
    ],
    tritan: [
      [1.255528, -0.076749, -0.178779],
      [-0.078411, 0.930809, 0.147602],
      [0.004733, 0.691367, 0.3039],
    ],
  };
  const linear = rgb.map((part) =>
    part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  );
  return MATRICES[eyes].map((row) => {
    const value = Math.min(
      1,
      Math.max(
        0,
        row.reduce((sum, weight, axis) => sum + weight * (linear[axis] ?? 0), 0),
      ),
    );
    return 255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055);
  }) as unknown as Rgb;
}
