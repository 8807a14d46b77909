/** The URL in an event's data if it is safe to open: http or https. */
export function linkOf(data: Readonly<Record<string, unknown>>): string | undefined {
  const { url } = data;
  if (typeof url !== "string") return undefined;
  try {
    return ["http:", "https:"].includes(new URL(url).protocol) ? url : undefined;
  } catch {
    return undefined;
  }
}
