import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject, it } from "vitest";
import { open, openBrowser } from "../browser.ts";
import { Server } from "../server.ts";

it("waits for ever, with a server and a browser", async () => {
  const server = await Server.start({ data: "empty" });
  await open(server.url);
  const session = await (await openBrowser()).newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const file = join(inject("folder"), "processes");
  writeFileSync(`${file}.partial`, JSON.stringify([server.pid, ...processInfo.map(({ id }) => id)]));
  renameSync(`${file}.partial`, file);
  await new Promise(() => undefined);
});
