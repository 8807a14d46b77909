// The notice of a new week, and the day on which it was dismissed.
import type { IsoDate } from "../../core/time/period";

const KEY = "dayline.review-dismissed";

export function isMonday(date: IsoDate): boolean {
  return new Date(`${date}T00:00:00Z`).getUTCDay() === 1;
}

export function dismissedOn(): IsoDate | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // a browser without storage shows the notice all Monday
  }
}

export function dismissOn(date: IsoDate): void {
  try {
    localStorage.setItem(KEY, date);
  } catch {
    // It is gone from this page, and comes back with the next.
  }
}
