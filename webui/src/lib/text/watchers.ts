/** The short name of a watcher: "window", "away", "web-firefox". */
export function watcherName(client: string): string {
  const short = client.replace(/^aw-watcher-/, "");
  return short === "afk" ? "away" : short;
}
