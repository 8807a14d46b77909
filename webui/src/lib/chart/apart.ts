// Axis labels that do not overlap.

const LETTER = 6.5; // pixels, of the small text below an axis
const GAP = 8;

/** The labels of equal parts of a width, without those that would overlap the previous one. */
export function apart(labels: readonly string[], width: number): string[] {
  const part = width / Math.max(1, labels.length);
  let end = -Infinity;
  return labels.map((label, place) => {
    if (!label) return "";
    const [middle, half] = [(place + 0.5) * part, (label.length * LETTER) / 2];
    if (middle - half < end + GAP) return "";
    end = middle + half;
    return label;
  });
}
