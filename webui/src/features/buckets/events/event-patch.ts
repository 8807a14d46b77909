// The edit of an event from its form.
import type { EventDetail, EventPatch } from "../../../core/api/schema";
import { t } from "../../../core/i18n/translate.svelte";
import { fromLocalText, toLocalText } from "../../../core/time/fields/local";

export interface Typed {
  readonly start: string;
  readonly end: string;
  readonly data: string;
}

export interface Faults {
  start?: string;
  end?: string;
  data?: string;
}

export function typedOf(event: EventDetail, zone: string): Typed {
  return {
    start: toLocalText(event.timestamp, zone),
    end: toLocalText(event.end, zone),
    data: JSON.stringify(event.data, null, 2),
  };
}

/** Only what changed: a field shows milliseconds, and the microseconds must not be lost. */
export function patchOf(
  event: EventDetail,
  typed: Typed,
  zone: string,
): { patch: EventPatch; faults: Faults } {
  const before = typedOf(event, zone);
  const patch: EventPatch = {};
  const faults: Faults = {};
  const start = typed.start === before.start ? event.timestamp : fromLocalText(typed.start, zone);
  const end = typed.end === before.end ? event.end : fromLocalText(typed.end, zone);
  if (start === undefined) faults.start = t("buckets.enterAValidTime");
  if (end === undefined) faults.end = t("buckets.enterAValidTime");
  if (start && end && Date.parse(end) < Date.parse(start)) faults.end = t("buckets.theEndMustNotBeBeforeThe");
  const isMoved = typed.start !== before.start || typed.end !== before.end;
  if (isMoved && start && end) Object.assign(patch, { timestamp: start, end });
  if (typed.data.trim() !== before.data) {
    const data = objectOf(typed.data);
    if (data === undefined) faults.data = t("buckets.enterAJsonObjectSuchAsApp");
    else patch.data = data as EventPatch["data"];
  }
  return { patch, faults };
}

function objectOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
