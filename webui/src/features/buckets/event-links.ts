/** The address in an event's data that may be opened: of the web, and of nothing that runs something. */
export function linkOf(data: Readonly<Record<string, unknown>>): string | undefined {
  const { url } = data;
  if (typeof url !== "string") return undefined;
  try {
    return ["http:", "https:"].includes(new URL(url).protocol) ? url : undefined;
  } catch {
    return undefined;
  }
}
