import { expect, test } from "vitest";
import { noteText, placeNotes, visibleNotes } from "./model";

const day = { start: Date.parse("2026-03-05T00:00Z"), end: Date.parse("2026-03-06T00:00Z") };
const note = (start: string, end: string) => ({
  start: `2026-03-05T${start}Z`,
  end: `2026-03-05T${end}Z`,
  device: null as string | null,
  is_on: true,
});
const MINUTE = 60_000;

test("overlapping notes are in different rows, others share one", () => {
  const notes = [note("09:00", "10:00"), note("09:30", "11:00"), note("10:00", "12:00")];
  expect(placeNotes(notes, day, MINUTE).map(({ row }) => row)).toEqual([0, 1, 0]);
});

test("a short note is long enough to be clicked, even at the end of the day", () => {
  const [placed] = placeNotes([note("23:59:50", "23:59:55")], day, 30 * MINUTE);
  expect(placed?.start).toBe(day.end - 30 * MINUTE);
  expect(placed?.end).toBe(day.end);
});

test("a note that began the day before starts with the day", () => {
  const early = { ...note("01:00", "02:00"), start: "2026-03-04T20:00Z" };
  expect(placeNotes([early], day, MINUTE)[0]?.start).toBe(day.start);
});

test("notes that are off or on another device are left out, and the earliest comes first", () => {
  const [late, early] = [note("10:00", "11:00"), note("08:00", "09:00")];
  const notes = [late, early, { ...early, is_on: false }, { ...early, device: "phone" }];
  expect(visibleNotes(notes, ["laptop"])).toEqual([early, late]);
  expect(visibleNotes(notes, [])).toHaveLength(3);
});

test("an annotation without a text says what it does", () => {
  expect(noteText({ label: "Stand-up", kind: "label", category: null })).toBe("Stand-up");
  expect(noteText({ label: "", kind: "category", category: ["Work", "Code"] })).toBe("Work › Code");
  expect(noteText({ label: "", kind: "exclude", category: null })).toBe("Excluded");
});
