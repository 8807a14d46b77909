// Colors of the page for a canvas, which does not know custom properties.

export interface Tokens {
  readonly surface: string;
  readonly text: string;
  readonly accent: string;
  readonly ring: string;
  readonly border: string;
  readonly font: string;
}

export function readTokens(element: HTMLElement): Tokens {
  const probe = document.createElement("span");
  element.append(probe);
  const color = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const tokens = {
    surface: color("surface"),
    text: color("text"),
    accent: color("accent"),
    ring: color("ring"),
    border: color("border"),
    font: `500 12px ${getComputedStyle(element).fontFamily}`,
  };
  probe.remove();
  return tokens;
}
