// When a key expires.
export const EXPIRIES = [
  { value: "never", label: "Never", days: undefined },
  { value: "30", label: "30 days", days: 30 },
  { value: "90", label: "90 days", days: 90 },
  { value: "365", label: "A year", days: 365 },
] as const;
export type Expiry = (typeof EXPIRIES)[number]["value"];

const DAY = 86_400_000;

/** When the key expires; null for never. */
export function expiresAt(expiry: Expiry, now: number): string | null {
  const days = EXPIRIES.find((each) => each.value === expiry)?.days;
  return days === undefined ? null : new Date(now + days * DAY).toISOString();
}
