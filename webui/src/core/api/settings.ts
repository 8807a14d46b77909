// Lists in settings on the server, so that every browser has them.
import { api, body } from "./client";
import { queryClient } from "./queries";

export function settingQuery<T>(key: string, parse: (stored: unknown) => T) {
  return {
    queryKey: ["settings", key],
    queryFn: async ({ signal }: { signal: AbortSignal }) => parse(await readSetting(key, signal)),
  };
}

export function readSetting(key: string, signal?: AbortSignal): Promise<unknown> {
  return body(api.GET("/api/0/settings/{key}", { params: { path: { key } }, signal }));
}

/** Change what is stored now; returns the undo. Throws and writes nothing if it cannot be read. */
export async function changeSetting<T>(
  key: string,
  parse: (stored: unknown) => T,
  change: (value: T) => T,
): Promise<() => Promise<void>> {
  const write = async (value: T) => {
    await body(api.POST("/api/0/settings/{key}", { params: { path: { key } }, body: value as never }));
    queryClient.setQueryData(settingQuery(key, parse).queryKey, value);
  };
  const before = parse(await readSetting(key));
  await write(change(before));
  return () => write(before);
}
