import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contrastViolations, violations } from "./axe.ts";
import { expectNoOverflow, open, ready, type Watched } from "./browser.ts";
import { Server } from "./server.ts";

const SECTIONS = ["general", "appearance", "keyboard", "privacy", "goals", "devices", "data", "server"];

let server: Server;
beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server.stop());

const preferences = () => server.get<Record<string, unknown>>("/api/1/settings");
const background = ({ page }: Watched) =>
  page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);

describe("every section", () => {
  it("is clean for axe in both themes, and fits 320 px", async () => {
    const viewport = { width: 320, height: 900 };
    const { page, close } = await open(`${server.url}/#/settings`, { viewport, reducedMotion: "reduce" });
    for (const section of SECTIONS) {
      await page.goto(`${server.url}/#/settings/${section}`);
      await page.locator(`nav a[aria-current=page][href$="/settings/${section}"]`).waitFor();
      await ready(page);
      await page.emulateMedia({ colorScheme: "light" });
      expect(await violations(page), section).toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await contrastViolations(page), `${section}, dark`).toEqual([]);
      await expectNoOverflow(page);
    }
    await close();
  }, 60_000);
});

describe("a field", () => {
  it("is saved by itself, undone by a button and by Ctrl Z, and restored from its history", async () => {
    const { page, close } = await open(`${server.url}/#/settings`);
    await page.getByLabel("Day starts at", { exact: true }).fill("05:30");
    await page.getByLabel("Day starts at", { exact: true }).blur();
    await page.getByText("Saved", { exact: true }).waitFor();
    expect(await preferences()).toMatchObject({ day_start: "05:30" });
    await page.getByRole("button", { name: "Undo the change of Day starts at" }).click();
    await page.getByText("Undone", { exact: true }).waitFor();
    expect(await preferences()).toMatchObject({ day_start: "04:00" });

    await page.getByLabel("Week starts on", { exact: true }).selectOption("sunday");
    await expect.poll(preferences).toMatchObject({ week_start: "sunday" });
    await page.getByRole("heading", { name: "General" }).click();
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press("Control+z");
    await expect.poll(preferences).toMatchObject({ week_start: "monday" });

    await page.getByRole("button", { name: "History of Day starts at" }).click();
    await page
      .getByRole("listitem")
      .filter({ hasText: "05:30" })
      .getByRole("button", { name: "Restore" })
      .click();
    await expect.poll(preferences).toMatchObject({ day_start: "05:30" });
    await expect.poll(() => page.getByLabel("Day starts at", { exact: true }).inputValue()).toBe("05:30");
    await close();
  });

  it("that the server refuses says why at its place, and nothing is changed", async () => {
    const watched = await open(`${server.url}/#/settings`);
    const zone = watched.page.getByLabel("Time zone", { exact: true });
    await zone.fill("Mars/Olympus");
    await zone.blur();
    await watched.page.getByText("there is no time zone").waitFor();
    expect(await zone.getAttribute("aria-invalid")).toBe("true");
    expect(await preferences()).toMatchObject({ time_zone: null });
    watched.forgive();
    await zone.fill("Europe/Berlin");
    await zone.blur();
    await expect.poll(preferences).toMatchObject({ time_zone: "Europe/Berlin" });
    await watched.page.getByText(/has 2[35] h: the clocks change/).waitFor();
    await watched.close();
  });

  it("is found by what somebody calls it", async () => {
    const { page, close } = await open(`${server.url}/#/settings`);
    await page.getByLabel("Find a setting").fill("dark mode");
    await page.getByRole("link", { name: "Theme" }).click();
    await page.waitForURL(/settings\/appearance\?at=theme/);
    await page.getByRole("radiogroup", { name: "Theme" }).waitFor();
    await close();
  });
});

describe("the theme", () => {
  it("follows the system or is the one that was chosen, and never flashes on reload", async () => {
    const watched = await open(`${server.url}/#/settings/appearance`, { colorScheme: "dark" });
    const { page } = watched;
    const dark = await background(watched);
    await page.emulateMedia({ colorScheme: "light" });
    const light = await background(watched);
    expect(light).not.toBe(dark);
    await page.getByRole("radio", { name: "Dark" }).check({ force: true });
    await expect.poll(() => background(watched)).toBe(dark);
    await expect.poll(preferences).toMatchObject({ theme: "dark" });

    // The colour of every frame from the first one on.
    await page.addInitScript(() => {
      const seen: string[] = [];
      Object.assign(window, { seen });
      const look = () => {
        if (document.body) seen.push(getComputedStyle(document.documentElement).backgroundColor);
        if (seen.length < 30) requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    await page.reload();
    await ready(page);
    const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen);
    expect(seen.length).toBeGreaterThan(0);
    expect(new Set(seen.filter((colour) => colour !== "rgba(0, 0, 0, 0)"))).toEqual(new Set([dark]));
    await page
      .getByRole("radiogroup", { name: "Theme" })
      .getByRole("radio", { name: "System" })
      .check({ force: true });
    await expect.poll(() => background(watched)).toBe(light);
    await watched.close();
  });
});

describe("single letters", () => {
  it("are text in fields, nothing with other keys, and can be switched off; Alt ← goes back", async () => {
    const { page, close } = await open(`${server.url}/#/today`);
    await page.goto(`${server.url}/#/settings/keyboard`);
    await ready(page);
    const find = page.getByLabel("Find a setting");
    await find.pressSequentially("gt?");
    expect(await find.inputValue()).toBe("gt?");
    expect(page.url()).toContain("settings");
    await find.fill("");
    await find.blur();
    await page.keyboard.press("g");
    await page.keyboard.press("Control+b");
    await page.keyboard.press("Alt+t");
    await page.keyboard.press("Shift+T");
    expect(page.url()).toContain("settings/keyboard");

    await page.getByRole("switch", { name: "Single-letter keys" }).click();
    const switchedOff = page.locator("dl.line-through");
    await expect.poll(() => switchedOff.count()).toBeGreaterThan(0);
    expect(await preferences()).toMatchObject({ single_letter_keys: false });
    await page.getByRole("heading", { name: "Keyboard" }).click();
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    await page.keyboard.press("?");
    expect(page.url()).toContain("settings/keyboard");
    expect(await page.getByRole("dialog").count()).toBe(0);

    await page.getByRole("switch", { name: "Single-letter keys" }).click();
    await expect.poll(() => switchedOff.count()).toBe(0);
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press("g");
    await page.keyboard.press("q");
    await page.locator("main[data-page=query]").waitFor();
    // A headless browser has no key for "back": what counts is that the page leaves it alone.
    const isTaken = await page.evaluate(() => {
      const press = new KeyboardEvent("keydown", {
        key: "ArrowLeft",
        altKey: true,
        bubbles: true,
        cancelable: true,
      });
      return !document.body.dispatchEvent(press);
    });
    expect(isTaken).toBe(false);
    await page.goBack();
    await page.locator("main[data-page=settings]").waitFor();
    await close();
  });
});

describe("privacy rules", () => {
  it("show what they would do to history, are applied to it, and taken back", async () => {
    const watched = await open(`${server.url}/#/settings/privacy`);
    const { page } = watched;
    await page.getByRole("button", { name: "New rule" }).click();
    await page.getByLabel("For").fill("(");
    await page.getByText("missing )").waitFor();
    watched.forgive();
    await page.getByLabel("For").fill("(?i)^git ");
    await page.getByText("events would change").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Add the rule" }).click();
    await page.getByText("where title matches (?i)^git").waitFor();
    expect(await server.get("/api/1/privacy/rules")).toMatchObject({ rules: [{ pattern: "(?i)^git " }] });

    const titles = async () => {
      const found = await server.post<{ results: { data: { title: string } }[][] }>("/api/1/query", {
        query:
          'RETURN = filter_keyvals_regex(query_bucket("aw-watcher-window_laptop"), "title", "(?i)^git ");',
        timeperiods: ["2000-01-01T00:00:00Z/2100-01-01T00:00:00Z"],
      });
      return found.results[0]?.length ?? 0;
    };
    const before = await titles();
    expect(before).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Apply to history…" }).click();
    await page.getByRole("button", { name: /^Apply to [\d,]+ events$/ }).click();
    await page.getByText(/Applied privacy rules to/).waitFor();
    expect(await titles()).toBe(0);
    await page
      .getByRole("listitem")
      .filter({ hasText: "applied" })
      .getByRole("button", { name: "Undo" })
      .click();
    await page.getByText("History is as it was before").waitFor();
    expect(await titles()).toBe(before);
    await watched.close();
  });
});

describe("a device", () => {
  it("gets another name with all its buckets, and its old one back", async () => {
    const { page, close } = await open(`${server.url}/#/settings/devices`);
    await page.getByRole("button", { name: "Rename phone" }).click();
    await page.getByLabel("New name").fill("handset");
    await page.getByText("aw-watcher-android_handset").waitFor();
    await page.getByRole("button", { name: "Rename", exact: true }).click();
    await page.getByText("Renamed phone to handset").waitFor();
    const names = async () => Object.keys(await server.get<object>("/api/0/buckets/"));
    expect(await names()).toContain("aw-watcher-android_handset");
    await page.getByRole("button", { name: /^Undo/ }).click();
    await expect.poll(names).toContain("aw-watcher-android_phone");
    await close();
  });
});
