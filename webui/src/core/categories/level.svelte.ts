// How deep categories are listed, on all pages: top-level ones with everything below them, or each alone.
export const LEVELS = ["top", "all"] as const;
export type Level = (typeof LEVELS)[number];

const KEY = "dayline.category-level";

function kept(): Level {
  try {
    return localStorage.getItem(KEY) === "all" ? "all" : "top";
  } catch {
    return "top";
  }
}

let current = $state<Level>(kept());

export const level = {
  get current(): Level {
    return current;
  },
  /** The parameter of calls that list categories. */
  get query(): { depth?: number } {
    return current === "top" ? { depth: 1 } : {};
  },
};

export function setLevel(next: Level): void {
  current = next;
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // The choice lasts as long as the page.
  }
}
