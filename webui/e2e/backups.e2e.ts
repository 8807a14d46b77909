import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contrastViolations, violations } from "./axe.ts";
import { expectNoOverflow, open, type Watched } from "./browser.ts";
import { Server } from "./server.ts";

interface Backups {
  folder: string;
  backups: { name: string; state: string; events: number }[];
}

describe("backups", () => {
  let server: Server;
  let at: Watched;
  beforeAll(async () => {
    server = await Server.start();
    at = await open(`${server.url}/#/backups`);
  });
  afterAll(async () => {
    await at.close();
    await server.stop();
  });
  const listed = () => server.get<Backups>("/api/1/backups");

  it("a backup is made at a press, and is in the list as verified with the events of the store", async () => {
    const { events } = await server.get<{ events: number }>("/api/1/buckets");
    await at.page.getByText("There is no backup yet").first().waitFor();
    await at.page.getByRole("button", { name: "Make a backup now" }).click();
    await at.page.getByRole("progressbar", { name: "Making a backup" }).waitFor();
    const row = at.page.getByRole("row", { name: /verified/ });
    await row.waitFor();
    expect(await row.innerText()).toContain(events.toLocaleString("en"));
    const { backups, folder } = await listed();
    expect(backups.map(({ state }) => state)).toEqual(["verified"]);
    await at.page.getByText(folder, { exact: true }).waitFor();
    await at.page.getByText(`dayline backup restore ${backups[0]?.name}`, { exact: true }).waitFor();
    await at.page.getByRole("progressbar").waitFor({ state: "detached" });
    await expectNoOverflow(at.page);
  });

  it("one that is damaged on the disk is found out when it is verified again", async () => {
    const { folder, backups } = await listed();
    const name = backups[0]?.name ?? "";
    await at.page.getByRole("button", { name: `Verify ${name} again` }).click();
    await at.page.getByRole("status").getByText(`${name} is whole`).waitFor();
    writeFileSync(join(folder, name), "no backup at all");
    await at.page.getByRole("button", { name: `Verify ${name} again` }).click();
    await at.page.getByRole("row", { name: /damaged/ }).waitFor();
    await at.page.getByRole("region", { name: "Last backup" }).locator(".text-danger").first().waitFor();
    expect(await violations(at.page)).toEqual([]);
    await at.page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
    expect(await contrastViolations(at.page)).toEqual([]);
  });
});
