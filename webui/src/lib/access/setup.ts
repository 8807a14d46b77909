// What to do with a new key, ready to be copied.
import type { Scope } from "./scopes";

export interface Setup {
  readonly title: string;
  readonly text: string;
  readonly code: string;
}

/** The ways in which a key is put to use; `origin` is the address at which this page found the server. */
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
        title: "Watchers on another computer",
        text: "They know no keys: the relay takes what they record and sends it here, also later.",
        code: `${keep}\ndayline relay --to ${origin} --key-file ${file}${envelope}`,
      },
      {
        title: "Watchers on this computer",
        text: "Newer Python watchers find the key in their settings file, which this writes.",
        code: `${keep}\ndayline keys install-local --key-file ${file}`,
      },
      {
        title: "A program of your own",
        text: "Send it with every call. The bucket has to be one of the key's.",
        code: `curl '${origin}/api/0/buckets/BUCKET/heartbeat?pulsetime=60' \\\n  -H 'Authorization: Bearer ${key.key}' -H 'Content-Type: application/json' \\\n  -d '{"timestamp": "'$(date -u +%FT%TZ)'", "duration": 0, "data": {"app": "…"}}'`,
      },
    ];
  }
  return [
    {
      title: "A program",
      text: "Send it with every call.",
      code: `curl ${origin}/api/0/buckets/ -H 'Authorization: Bearer ${key.key}'`,
    },
    {
      title: "A browser",
      text: "Paste the key at the page that asks for it.",
      code: `${origin}/`,
    },
  ];
}

/** A name for a file, of letters that need no quotes. */
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
