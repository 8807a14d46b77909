// Settings with their history; privacy rules, devices, disk space and the server itself.
import { api, body } from "../../core/api/client";
import { loadPreferences } from "../../core/api/preferences.svelte";
import { queryClient } from "../../core/api/queries";
import type { PrivacyRule, RedactionRequest } from "../../core/api/schema";

type Signal = { signal: AbortSignal };

export const settingsQueries = {
  history: (key: string) => ({
    queryKey: ["settings", "history", key],
    queryFn: ({ signal }: Signal) =>
      body(api.GET("/api/1/settings/history", { params: { query: { key, limit: 20 } }, signal })),
  }),
  privacyRules: () => ({
    queryKey: ["settings", "privacy", "rules"],
    queryFn: ({ signal }: Signal) => body(api.GET("/api/1/privacy/rules", { signal })),
  }),
  redactions: () => ({
    queryKey: ["settings", "privacy", "redactions"],
    queryFn: ({ signal }: Signal) => body(api.GET("/api/1/privacy/redactions", { signal })),
  }),
  devices: () => ({
    queryKey: ["buckets", "devices"],
    queryFn: ({ signal }: Signal) => body(api.GET("/api/1/devices", { signal })),
  }),
  space: () => ({
    queryKey: ["space"],
    queryFn: ({ signal }: Signal) => body(api.GET("/api/1/space", { signal })),
    staleTime: 60_000,
  }),
  server: () => ({
    queryKey: ["server"],
    queryFn: ({ signal }: Signal) => body(api.GET("/api/1/server", { signal })),
  }),
  health: () => ({
    queryKey: ["health"],
    queryFn: ({ signal }: Signal) => body(api.GET("/api/1/health", { signal })),
    staleTime: 10_000,
  }),
  log: () => ({
    queryKey: ["log"],
    queryFn: ({ signal }: Signal) => body(api.GET("/api/0/log", { signal })),
    staleTime: 5_000,
  }),
};

/** Restore an earlier value of a setting. */
export async function restoreSetting(number: number): Promise<void> {
  await body(api.POST("/api/1/settings/history/{number}/restore", { params: { path: { number } } }));
  await loadPreferences();
  await queryClient.invalidateQueries({ queryKey: ["settings"] });
}

/** Replace all of Dayline's privacy rules. */
export async function setPrivacyRules(rules: PrivacyRule[]): Promise<void> {
  const now = await body(api.PUT("/api/1/privacy/rules", { body: rules }));
  queryClient.setQueryData(settingsQueries.privacyRules().queryKey, now);
}

export function previewRedaction(request: RedactionRequest, signal?: AbortSignal) {
  return body(api.POST("/api/1/privacy/preview", { body: request, signal }));
}

export async function applyRedaction() {
  const made = await body(
    api.POST("/api/1/privacy/apply", { body: { rules: null, buckets: [], samples: 0 } }),
  );
  await queryClient.invalidateQueries();
  return made;
}

export async function undoRedaction(id: number): Promise<void> {
  await body(
    api.POST("/api/1/privacy/redactions/{redaction_id}/undo", { params: { path: { redaction_id: id } } }),
  );
  await queryClient.invalidateQueries();
}

export async function makeRedactionFinal(id: number): Promise<void> {
  await body(
    api.POST("/api/1/privacy/redactions/{redaction_id}/final", { params: { path: { redaction_id: id } } }),
  );
  await queryClient.invalidateQueries({ queryKey: ["settings", "privacy"] });
}

/** Change the host of a bucket; with `isTrial` only report what would happen. */
export function rehost(bucket: string, hostname: string, isTrial: boolean) {
  return body(
    api.POST("/api/1/buckets/{bucket_id}/rehost", {
      params: { path: { bucket_id: bucket } },
      body: { hostname, rename: true, merge: true, dry_run: isTrial },
    }),
  );
}
