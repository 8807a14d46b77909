// Colours of the page for a canvas, which does not know custom properties.

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
  const colour = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const tokens = {
    surface: colour("surface"),
    text: colour("text"),
    accent: colour("accent"),
    ring: colour("ring"),
    border: colour("border"),
    font: `500 12px ${getComputedStyle(element).fontFamily}`,
  };
  probe.remove();
  return tokens;
}
