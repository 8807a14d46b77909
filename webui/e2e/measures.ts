// Figures beside their goals.

/** The value below which so many per cent of the values lie; the nearest one that was measured. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil((share / 100) * sorted.length) - 1)] ?? Number.NaN;
}

export class Report {
  /** Print a figure at once: a measurement that fails later loses nothing. */
  add(what: string, value: number, goal: number, unit: string): void {
    const digits = goal < 1 ? 3 : goal < 100 ? 1 : 0;
    const [figure, most] = [value.toFixed(digits), String(goal)];
    const verdict = value <= goal ? "" : "  NOT REACHED";
    console.log(
      `${what.padEnd(56)} ${figure.padStart(8)} ${unit.padEnd(2)} (goal ${most} ${unit})${verdict}`,
    );
  }
}
