/** What a watcher is called among others: "window", "away", "web-firefox". */
export function watcherName(client: string): string {
  const short = client.replace(/^aw-watcher-/, "");
  return short === "afk" ? "away" : short;
}
