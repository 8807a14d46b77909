// A server that asks for keys, and what opens it.
import { readFileSync } from "node:fs";
import { Server } from "./server.ts";

export interface Keyed {
  readonly server: Server;
  /** A call as the commands of this machine make it. */
  asOwner<T = unknown>(method: string, path: string, body?: unknown): Promise<T>;
  /** A new key. */
  key(scope: "append" | "read" | "full", buckets?: string[]): Promise<string>;
}

/** With a bucket of windows and one of presence. */
export async function startKeyed(): Promise<Keyed> {
  const server = await Server.start({
    data: "empty",
    flags: ["--require-keys", "--trusted-proxy", "127.0.0.1"],
  });
  const { token } = JSON.parse(readFileSync(`${server.database}.d/token`, "utf-8")) as { token: string };
  const asOwner = <T = unknown>(method: string, path: string, body?: unknown) =>
    server.call<T>(method, path, body, { Authorization: `Bearer ${token}` });
  for (const [id, type] of [
    ["aw-watcher-window_laptop", "currentwindow"],
    ["aw-watcher-afk_laptop", "afkstatus"],
  ])
    await asOwner("POST", `/api/0/buckets/${id}`, { client: "test", type, hostname: "laptop" });
  return {
    server,
    asOwner,
    key: async (scope, buckets = []) =>
      (await asOwner<{ key: string }>("POST", "/api/1/keys", { name: `${scope} key`, scope, buckets })).key,
  };
}

/** The status of a call with a key. */
export async function statusOf(url: string, key: string, method = "GET", body?: unknown): Promise<number> {
  const response = await fetch(url, {
    method,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
}
