// When a key expires.
import { t } from "../../../core/i18n/translate.svelte";

export const EXPIRIES = [
  { value: "never", label: () => t("common.neverTitle"), days: undefined },
  { value: "30", label: () => t("access.n30Days"), days: 30 },
  { value: "90", label: () => t("access.n90Days"), days: 90 },
  { value: "365", label: () => t("access.aYear"), days: 365 },
] as const;
export type Expiry = (typeof EXPIRIES)[number]["value"];

const DAY = 86_400_000;

/** When the key expires; null for never. */
export function expiresAt(expiry: Expiry, now: number): string | null {
  const days = EXPIRIES.find((each) => each.value === expiry)?.days;
  return days === undefined ? null : new Date(now + days * DAY).toISOString();
}
