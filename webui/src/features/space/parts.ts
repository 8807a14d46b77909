// What uses disk space.
import type { Space } from "../../api/schema";

export interface Part {
  readonly name: string;
  readonly what: string;
  readonly bytes: number;
  /** Compaction reclaims it. */
  readonly isFree?: boolean;
}

/** Everything that uses disk space, largest first; the parts add up to the total. */
export function partsOf(space: Space): Part[] {
  const { parts } = space.database;
  const all: Part[] = [
    { name: "Events", what: "times, durations and their index", bytes: parts.events },
    { name: "Distinct values", what: "titles, URLs and other texts, stored once", bytes: parts.values },
    { name: "Trash", what: "for undo", bytes: parts.trash },
    { name: "Redactions", what: "for undoing privacy rules", bytes: parts.redactions },
    { name: "Audit log", what: "API calls", bytes: parts.audit },
    { name: "Other", what: "keys, settings, monthly statistics", bytes: parts.other },
    { name: "Unused values", what: "removed by compaction", bytes: parts.unused, isFree: true },
    { name: "Free pages", what: "reclaimed by compaction", bytes: parts.free, isFree: true },
    { name: "Write-ahead log", what: "not yet moved into the database file", bytes: space.log },
    { name: "Segments", what: "derived data, rebuilt if missing", bytes: space.segments },
    { name: "Backups", what: "in their own folder", bytes: space.backups },
  ];
  return all.filter((part) => part.bytes > 0).sort((a, b) => b.bytes - a.bytes);
}

export function freeBytes(space: Space): number {
  return space.database.parts.unused + space.database.parts.free;
}
