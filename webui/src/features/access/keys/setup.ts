// How to use a new key, ready to copy.
import { t } from "../../../core/i18n/translate.svelte";
import type { Scope } from "./scopes";

export interface Setup {
  readonly title: string;
  readonly text: string;
  readonly code: string;
}

/** The ways to use a key; `origin` is the address at which this page reached the server. */
export function setups(
  key: { key: string; name: string; scope: Scope; envelope: boolean },
  origin: string,
): Setup[] {
  const file = `${fileName(key.name)}.key`;
  const keep = `install -m 600 /dev/null ${file} && echo '${key.key}' > ${file}`;
  if (key.scope === "append") {
    const isPlain = origin.startsWith("http://") && !isLoopback(origin);
    const envelope = key.envelope && isPlain ? " --envelope" : "";
    return [
      {
        title: t("access.watchersOnAnotherComputer"),
        text: t("access.watchersDoNotSupportKeysTheRelay"),
        code: `${keep}\ndayline relay --to ${origin} --key-file ${file}${envelope}`,
      },
      {
        title: t("access.watchersOnThisComputer"),
        text: t("access.recentPythonWatchersReadTheKeyFrom"),
        code: `${keep}\ndayline keys install-local --key-file ${file}`,
      },
      {
        title: t("access.yourOwnProgram"),
        text: t("access.sendTheKeyWithEveryRequestThe"),
        code: `curl '${origin}/api/0/buckets/BUCKET/heartbeat?pulsetime=60' \\\n  -H 'Authorization: Bearer ${key.key}' -H 'Content-Type: application/json' \\\n  -d '{"timestamp": "'$(date -u +%FT%TZ)'", "duration": 0, "data": {"app": "…"}}'`,
      },
    ];
  }
  if (key.scope === "sync") {
    return [
      {
        title: t("access.aDeviceThatSyncs"),
        text: t("access.runThisOnTheDeviceToSyncThrough"),
        code: `${keep}\ndayline sync start ${origin} --server-key-file ${file}`,
      },
    ];
  }
  return [
    {
      title: t("access.aProgram"),
      text: t("access.sendTheKeyWithEveryRequest"),
      code: `curl ${origin}/api/0/buckets/ -H 'Authorization: Bearer ${key.key}'`,
    },
    {
      title: t("access.aBrowser"),
      text: t("access.pasteTheKeyOnTheSignInPage"),
      code: `${origin}/`,
    },
  ];
}

/** A file name that needs no quoting. */
export function fileName(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "") || "dayline"
  );
}

function isLoopback(origin: string): boolean {
  return /^https?:\/\/(localhost|127\.|\[::1\])/.test(origin);
}
