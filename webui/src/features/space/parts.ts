// What takes room on the disk, in an order and with words.
import type { Space } from "../../api/schema";

export interface Part {
  readonly name: string;
  readonly what: string;
  readonly bytes: number;
  /** Compaction gives it back. */
  readonly isFree?: boolean;
}

/** Everything that takes room, the largest first; together it is the whole. */
export function partsOf(space: Space): Part[] {
  const { parts } = space.database;
  const all: Part[] = [
    { name: "Events", what: "when, how long, and their index", bytes: parts.events },
    { name: "Distinct values", what: "titles, addresses and other texts, each once", bytes: parts.values },
    { name: "Trash", what: "what can be undone", bytes: parts.trash },
    { name: "Redactions", what: "what undoing privacy rules needs", bytes: parts.redactions },
    { name: "Audit", what: "who has called", bytes: parts.audit },
    { name: "Other", what: "keys, settings, figures of months", bytes: parts.other },
    { name: "Unused values", what: "compaction removes them", bytes: parts.unused, isFree: true },
    { name: "Free pages", what: "compaction gives them back", bytes: parts.free, isFree: true },
    { name: "Log", what: "written and not yet moved into the file", bytes: space.log },
    { name: "Segments", what: "derived data, made anew when missing", bytes: space.segments },
    { name: "Backups", what: "in their own folder", bytes: space.backups },
  ];
  return all.filter((part) => part.bytes > 0).sort((a, b) => b.bytes - a.bytes);
}

export function freeBytes(space: Space): number {
  return space.database.parts.unused + space.database.parts.free;
}
