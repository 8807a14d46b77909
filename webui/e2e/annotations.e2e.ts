// Notes are written on Today, and are seen there and in the search.
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { contrastViolations, violations } from "./axe.ts";
import { expectNoOverflow, open, undoByMessage } from "./browser.ts";
import { countClicks } from "./clicks.ts";
import { demoServer, type Server, uniqueName } from "./server.ts";

interface Note {
  id: number;
  label: string;
  start: string;
  end: string;
}

const DAY = "2025-06-05";
let server: Server;
let device: string;
let page: Page;

beforeAll(async () => {
  server = await demoServer();
});

beforeEach(async () => {
  device = await server.addBucket("desk", {
    type: "currentwindow",
    events: [
      { timestamp: `${DAY}T08:00:00Z`, duration: 7200, data: { app: "Gazette", title: "news" } },
      { timestamp: `${DAY}T12:00:00Z`, duration: 3600, data: { app: "Almanac", title: "weather" } },
    ],
  });
  await server.addBucket("presence", {
    type: "afkstatus",
    hostname: device,
    events: [
      { timestamp: `${DAY}T08:00:00Z`, duration: 7200, data: { status: "not-afk" } },
      { timestamp: `${DAY}T10:00:00Z`, duration: 7200, data: { status: "afk" } },
      { timestamp: `${DAY}T12:00:00Z`, duration: 3600, data: { status: "not-afk" } },
    ],
  });
  ({ page } = await open(`${server.url}/#/today?date=${DAY}&device=${device}`, {
    timezoneId: "UTC",
    locale: "en-GB",
  }));
});

const notes = () => page.getByRole("list", { name: "Notes" });
const dialog = () => page.getByRole("dialog");

async function stored(label: string): Promise<Note | undefined> {
  const { annotations } = await server.get<{ annotations: Note[] }>("/api/1/annotations?limit=500");
  return annotations.find((each) => each.label === label);
}

/** A note on the day that no other test has. */
async function addNote(start: string, end: string): Promise<string> {
  const label = uniqueName("Planning");
  await server.post("/api/1/annotations", {
    kind: "label",
    start: `${DAY}T${start}:00Z`,
    end: `${DAY}T${end}:00Z`,
    device,
    label,
  });
  await notes().getByRole("button", { name: label }).waitFor();
  return label;
}

it("a meeting away from the computer is annotated in three clicks, and shows on Today and in its strip", async () => {
  const strip = page.getByRole("listbox", { name: /^Active windows/ });
  const away = await strip.getByRole("option", { name: /^Away/ }).boundingBox();
  if (!away) throw new Error("nothing is away");
  const label = uniqueName("Stand-up");
  const clicks = await countClicks(page);
  await page.mouse.click(away.x + away.width / 2, away.y + away.height / 2);
  await page.getByRole("region", { name: "Selection" }).getByRole("button", { name: "Annotate" }).click();
  const field = page.getByRole("textbox", { name: "Note" });
  await expect.poll(() => field.evaluate((each) => each === document.activeElement)).toBe(true);
  await page.keyboard.type(label);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await notes()
    .getByRole("button", { name: `10:00 – 12:00 ${label}` })
    .waitFor();
  expect(await clicks()).toBe(3);
  expect(await stored(label)).toMatchObject({ start: `${DAY}T10:00:00Z`, end: `${DAY}T12:00:00Z` });
  const onStrip = await page.getByTitle(label, { exact: true }).boundingBox();
  expect(onStrip?.x).toBeCloseTo(away.x, -1);
  expect(onStrip?.width).toBeCloseTo(away.width, -1);
  expect(await violations(page, "main")).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await contrastViolations(page, "main")).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoOverflow(page);
});

it("a span of the strip is annotated with the keyboard alone", async () => {
  const label = uniqueName("Reading");
  await page.getByRole("listbox", { name: /^Active windows/ }).focus();
  await page.keyboard.press("End");
  await page.keyboard.press("c");
  await dialog().waitFor();
  await page.keyboard.type(label);
  await page.keyboard.press("Enter");
  await notes()
    .getByRole("button", { name: `12:00 – 13:00 ${label}` })
    .waitFor();
});

it("the times are as wide as a date with AM and PM needs", async () => {
  const { page: american } = await open(`${server.url}/#/today?annotate=new`, { locale: "en-US" });
  const fields = american.getByRole("dialog").locator("input[type=datetime-local]");
  await fields.first().waitFor();
  const widths = await fields.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().width));
  expect(widths.length).toBe(2);
  expect(Math.min(...widths)).toBeGreaterThanOrEqual(245);
});

it("an empty note is an error at the note, and at no other field", async () => {
  await page.getByRole("listbox", { name: /^Active windows/ }).focus();
  await page.keyboard.press("End");
  await page.keyboard.press("c");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const field = page.getByRole("textbox", { name: "Note" });
  await expect.poll(() => field.getAttribute("aria-invalid")).toBe("true");
  const described = await field.getAttribute("aria-describedby");
  expect(await page.locator(`[id="${described}"]`).innerText()).toBe("Enter a note.");
  expect(await page.getByLabel("To", { exact: true }).getAttribute("aria-invalid")).toBe("false");
  await expect.poll(() => field.evaluate((each) => each === document.activeElement)).toBe(true);
  expect(await violations(page, "dialog[open]")).toEqual([]);
});

it("a note is opened from the list, changed, deleted and brought back", async () => {
  const label = await addNote("08:30", "09:00");
  await notes().getByRole("button", { name: label }).click();
  await page.getByRole("textbox", { name: "Note" }).fill(`${label} again`);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await notes()
    .getByRole("button", { name: `08:30 – 09:00 ${label} again` })
    .click();
  expect(await stored(`${label} again`)).toMatchObject({ start: `${DAY}T08:30:00Z` });
  await page.getByRole("button", { name: "Delete" }).click();
  const deleted = `Annotation “${label} again” deleted`;
  await page.getByText(deleted).waitFor();
  expect(await stored(`${label} again`)).toBeUndefined();
  await undoByMessage(page, deleted);
  await notes()
    .getByRole("button", { name: `${label} again` })
    .waitFor();
});

it("overlapping notes are beside each other in the strip, and a click opens one", async () => {
  const first = await addNote("08:00", "09:30");
  const second = await addNote("09:00", "10:00");
  const [one, other] = [page.getByTitle(first, { exact: true }), page.getByTitle(second, { exact: true })];
  const [above, below] = [await one.boundingBox(), await other.boundingBox()];
  expect(below?.y).toBeGreaterThan((above?.y ?? 0) + 20);
  await other.click();
  expect(await page.getByRole("textbox", { name: "Note" }).inputValue()).toBe(second);
});

it("a search shows a note as a note, with its text and without a rule", async () => {
  const label = await addNote("09:00", "09:20");
  await page.goto(`${server.url}/#/search?q=${encodeURIComponent(`"${label}"`)}`);
  const hit = page.getByRole("link", { name: label });
  await hit.waitFor();
  const row = page.getByRole("listitem").filter({ has: hit });
  await row.getByText("Note", { exact: true }).waitFor();
  expect(await row.innerText()).not.toMatch(/dayline\.annotation|Uncategorized|unknown/);
  expect(await row.getByRole("button", { name: /^Why/ }).count()).toBe(0);
});
