// The one place that asks what time it is, so that a test can hold the clock still by replacing Date.

/** Milliseconds since 1970. */
export function now(): number {
  return Date.now();
}
