// Never record an app, a site, or titles that contain a text.
import { api, body } from "../../core/api/client";
import { queryClient } from "../../core/api/queries";
import type { PrivacyRule } from "../../core/api/schema";
import { setPrivacyRules, undoRedaction } from "../settings/data";

export const NEVER_KINDS = ["app", "site", "title"] as const;
export type NeverKind = (typeof NEVER_KINDS)[number];

/** The rule in plain words; the server writes its pattern. */
export function plainRule(kind: NeverKind, value: string, signal?: AbortSignal): Promise<PrivacyRule> {
  return body(api.GET("/api/1/privacy/rule", { params: { query: { [kind]: value } }, signal }));
}

/** Add a rule for new events, and apply it to stored ones if wanted; returns the one undo of both. */
export async function neverRecord(rule: PrivacyRule, alsoStored: boolean): Promise<() => Promise<void>> {
  const before = (await body(api.GET("/api/1/privacy/rules"))).rules;
  await setPrivacyRules([...before, rule]);
  let redaction: number | undefined;
  if (alsoStored) {
    const made = await body(
      api.POST("/api/1/privacy/apply", { body: { rules: [rule], buckets: [], samples: 0 } }),
    );
    redaction = made.id;
    await queryClient.invalidateQueries();
  }
  return async () => {
    if (redaction !== undefined) await undoRedaction(redaction);
    await setPrivacyRules(before);
  };
}
