// The only module that reads the current time, so that tests can freeze it by replacing Date.

/** Milliseconds since 1970. */
export function now(): number {
  return Date.now();
}
